/** Refunds as the first generation shows and takes them. */
import { toV1Money, V1Money } from '../../api/money.js';
import { choice, model, optional, type Static, Time, Type, text, wholeNumber } from '../../api/wire.js';
import { type Amount, LARGEST_AMOUNT, negate, shareOfPart, ZERO } from '../../base/money.js';
import { printSeconds } from '../../base/time.js';
import { BREAKDOWN_FIELDS, noBreakdown } from '../receipts/v1.breakdown.view.js';
import { REFUND_TYPES, type SaleRefund } from './model.js';

/** It has no id: clients tell refunds apart by what they are about (contract 19). */
export const V1Refund = model('V1Refund', {
  type: choice(REFUND_TYPES),
  reason: Type.String(),
  refunded_money: V1Money,
  refunded_processing_fee_money: V1Money,
  ...BREAKDOWN_FIELDS,
  created_at: Time,
  processed_at: Time,
  payment_id: Type.String(),
  merchant_id: Type.String(),
  is_exchange: Type.Boolean(),
});

/**
 * The amount is negative and of the merchant's currency, which `createRefund` checks. The published interface sets no maximum
 * for the reason and the key: the size of a body bounds them.
 */
export const CreateRefundBody = Type.Object({
  payment_id: text(192, { minLength: 1 }),
  type: choice(REFUND_TYPES),
  reason: Type.String({ minLength: 1 }),
  refunded_money: optional(
    Type.Object({ amount: wholeNumber(-LARGEST_AMOUNT, LARGEST_AMOUNT), currency_code: optional(text(3)) }),
  ),
  request_idempotence_key: optional(Type.String()),
});

export function toV1Refund(refund: Omit<SaleRefund, 'id'>): Static<typeof V1Refund> {
  const { currency } = refund;
  const createdAt = printSeconds(refund.createdAt);
  const isExchange = refund.origin === 'EXCHANGE';
  return {
    type: refund.type,
    reason: refund.reason ?? '',
    refunded_money: toV1Money(negate(refund.amount), currency),
    refunded_processing_fee_money: toV1Money(feeOf(refund), currency),
    ...(refund.breakdown ?? noBreakdown(currency)),
    created_at: createdAt,
    processed_at: createdAt,
    payment_id: isExchange ? refund.v1Id : refund.paymentId,
    merchant_id: refund.locationId,
    is_exchange: isExchange,
  };
}

/** What came back of the fee, or will when the processor has given the money back; goods that were exchanged cost no less. */
function feeOf({ origin, returnedFee, fee, total, amount }: Omit<SaleRefund, 'id'>): Amount {
  if (origin === 'EXCHANGE') return ZERO;
  return returnedFee ?? shareOfPart(fee ?? ZERO, { total, before: ZERO, part: amount });
}
