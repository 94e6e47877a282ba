/** Refunds in v1: their schemas, and the text that responses and stored copies have. */
import { printV1Money, V1Money } from '../../api/money.js';
import { about, choice, model, optional, Time, Type, text, wholeNumber } from '../../api/wire.js';
import { type Amount, MAX_AMOUNT, negate, shareOfPart, ZERO } from '../../base/money.js';
import { printSeconds } from '../../base/time.js';
import { BREAKDOWN_FIELDS, printBreakdownMembers } from '../receipts/v1.view.js';
import { REFUND_TYPES, type SaleRefund } from './model.js';

/** A v1 refund has no id. Clients identify it by its content (contract 19). */
export const V1Refund = model('V1Refund', {
  type: about('Whether all or a part was refunded.', choice(REFUND_TYPES)),
  reason: about('Why it was refunded.', Type.String()),
  refunded_money: about('What was refunded. Negative.', V1Money),
  refunded_processing_fee_money: about('The part of the processing fee that the merchant got back.', V1Money),
  ...BREAKDOWN_FIELDS,
  created_at: about('When the refund was made.', Time),
  processed_at: about('When the money went back.', Time),
  payment_id: about('The sale that was refunded.', Type.String()),
  merchant_id: about('The location of the sale.', Type.String()),
  is_exchange: about('Whether the refund is a part of an exchange.', Type.Boolean()),
});

/**
 * The operation checks that the amount is negative and in the merchant's currency. The published API sets no maximum for
 * the reason and the key, so only the size limit of the body applies.
 */
export const CreateRefundBody = Type.Object({
  payment_id: about('The sale to refund, or one of its tenders.', text(192, { minLength: 1 })),
  type: about('Whether to refund all that is left, or an amount.', choice(REFUND_TYPES)),
  reason: about('Why it is refunded.', Type.String({ minLength: 1 })),
  refunded_money: about(
    'The amount, for `PARTIAL`. It is negative.',
    optional(
      Type.Object({
        amount: about(
          'The negative amount in the smallest unit of the currency.',
          wholeNumber(-MAX_AMOUNT, MAX_AMOUNT),
        ),
        currency_code: about("The merchant's currency, in three letters.", optional(text(3))),
      }),
    ),
  ),
  request_idempotence_key: about(
    'A unique text. A retry with the same key makes no second refund.',
    optional(Type.String()),
  ),
});

export function printV1Refund(refund: Omit<SaleRefund, 'id'>): string {
  const { currency } = refund;
  const createdAt = printSeconds(refund.createdAt);
  const isExchange = refund.origin === 'EXCHANGE';
  return (
    `{"type":"${refund.type}","reason":${JSON.stringify(refund.reason ?? '')}` +
    `,"refunded_money":${printV1Money(negate(refund.amount), currency)}` +
    `,"refunded_processing_fee_money":${printV1Money(feeOf(refund), currency)}` +
    `,${printBreakdownMembers(refund.breakdown, currency)}` +
    `,"created_at":"${createdAt}","processed_at":"${createdAt}"` +
    `,"payment_id":"${isExchange ? refund.v1Id : refund.paymentId}","merchant_id":"${refund.locationId}"` +
    `,"is_exchange":${isExchange}}`
  );
}

/** The returned fee, or for a pending refund the fee that will be returned. An exchange returns no fee. */
function feeOf({ origin, returnedFee, fee, total, amount }: Omit<SaleRefund, 'id'>): Amount {
  if (origin === 'EXCHANGE') return ZERO;
  return returnedFee ?? shareOfPart(fee ?? ZERO, { total, before: ZERO, part: amount });
}
