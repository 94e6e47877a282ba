/** View of adjustments on the dashboard and sandbox surfaces. */
import { fromWireAmount, Money, toMoney, WireAmount } from '../../api/money.js';
import { about, model, type Static, Time, Type, text } from '../../api/wire.js';
import { Refusal } from '../../base/errors.js';
import { printMilliseconds } from '../../base/time.js';
import type { Adjustment } from '../movements/model.js';
import type { NewAdjustment } from './actions.js';
import { MAX_ADJUSTMENT, MAX_ADJUSTMENT_KEY_LENGTH } from './model.js';

export const NewAdjustmentBody = Type.Object({
  idempotency_key: about(
    'A unique text. A retry with the same key makes no second adjustment.',
    text(MAX_ADJUSTMENT_KEY_LENGTH, { minLength: 1 }),
  ),
  location_id: about('The location whose next settlement changes.', text()),
  amount_money: about('What is added. Negative: what is taken off.', WireAmount),
  reason: about('Why, for the books.', text(500, { minLength: 1 })),
});

const BalanceAdjustment = model('BalanceAdjustment', {
  id: about('The id of the adjustment.', Type.String()),
  location_id: about('The location whose next settlement changes.', Type.String()),
  amount_money: about('What is added. Negative: what is taken off.', Money),
  reason: about('Why, for the books.', Type.String()),
  created_at: about('When it was made.', Time),
});

export const AdjustmentResponse = Type.Object({ adjustment: about('The adjustment.', BalanceAdjustment) });

/** Amounts of the operator can be positive or negative, amounts of the owner only negative (decision 0101). */
export function fromNewAdjustmentBody(
  body: Static<typeof NewAdjustmentBody>,
  { currency, madeBy }: Pick<NewAdjustment, 'currency' | 'madeBy'>,
): NewAdjustment {
  const amount = fromWireAmount(body.amount_money, {
    currency,
    field: 'amount_money',
    least: -MAX_ADJUSTMENT,
    most: MAX_ADJUSTMENT,
  });
  if (madeBy === 'OWNER' && amount > 0) {
    throw new Refusal('VALUE_TOO_HIGH', {
      field: 'amount_money.amount',
      detail: 'amount_money.amount must be negative: only the operator can adjust in favour of the merchant.',
    });
  }
  if (amount === 0) {
    throw new Refusal('INVALID_VALUE', {
      field: 'amount_money.amount',
      detail: 'amount_money.amount must not be 0. Use a negative amount to take money from the merchant.',
    });
  }
  const { idempotency_key: key, location_id: locationId, reason } = body;
  return { key, madeBy, locationId, currency, amount, reason };
}

export function toAdjustmentResponse(adjustment: Adjustment): Static<typeof AdjustmentResponse> {
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
