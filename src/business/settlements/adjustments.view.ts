/** Adjustments as the owner and the operator make and see them. */
import { Money, readAmount, toMoney, WireAmount } from '../../api/money.js';
import { model, type Static, Time, Type, text } from '../../api/wire.js';
import { Refusal } from '../../base/errors.js';
import { type Amount, LARGEST_AMOUNT } from '../../base/money.js';
import { printMilliseconds } from '../../base/time.js';
import type { Adjustment } from '../movements/model.js';

export const NewAdjustmentBody = Type.Object({
  location_id: text(),
  amount_money: WireAmount,
  reason: text(500, { minLength: 1 }),
});

const BalanceAdjustment = model('BalanceAdjustment', {
  id: Type.String(),
  location_id: Type.String(),
  amount_money: Money,
  reason: Type.String(),
  created_at: Time,
});

export const AdjustmentAnswer = Type.Object({ adjustment: BalanceAdjustment });

/** In favour of the merchant or not, as far as an amount can go, but not nothing. */
export function readAdjustment(given: Static<typeof WireAmount>, currency: string): Amount {
  const amount = readAmount(given, { currency, field: 'amount_money', least: -LARGEST_AMOUNT });
  if (amount !== 0) return amount;
  throw new Refusal('INVALID_VALUE', {
    field: 'amount_money.amount',
    detail: 'amount_money.amount must not be 0; what the merchant is to pay is negative.',
  });
}

export function toAdjustmentAnswer(adjustment: Adjustment): Static<typeof AdjustmentAnswer> {
  const { id, locationId, amount, currency, reason, occurredAt } = adjustment;
  return {
    adjustment: {
      id,
      location_id: locationId,
      amount_money: toMoney(amount, currency),
      reason,
      created_at: printMilliseconds(occurredAt),
    },
  };
}
