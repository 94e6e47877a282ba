/** The v1 schemas of refunds. */
import { V1Money } from '../../api/money.js';
import { choice, model, optional, Time, Type, text, wholeNumber } from '../../api/wire.js';
import { MAX_AMOUNT } from '../../base/money.js';
import { BREAKDOWN_FIELDS } from '../receipts/v1.view.js';
import { REFUND_TYPES } from './model.js';

/** A v1 refund has no id. Clients identify it by its content (contract 19). */
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
 * The operation checks that the amount is negative and in the merchant's currency. The published API sets no maximum for
 * the reason and the key, so only the size limit of the body applies.
 */
export const CreateRefundBody = Type.Object({
  payment_id: text(192, { minLength: 1 }),
  type: choice(REFUND_TYPES),
  reason: Type.String({ minLength: 1 }),
  refunded_money: optional(
    Type.Object({ amount: wholeNumber(-MAX_AMOUNT, MAX_AMOUNT), currency_code: optional(text(3)) }),
  ),
  request_idempotence_key: optional(Type.String()),
});
