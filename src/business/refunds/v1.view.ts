/** Refunds as the first generation shows and takes them. */
import { V1Money } from '../../api/money.js';
import { choice, model, optional, Time, Type, text, wholeNumber } from '../../api/wire.js';
import { LARGEST_AMOUNT } from '../../base/money.js';
import { BREAKDOWN_FIELDS } from '../receipts/v1.view.js';
import { REFUND_TYPES } from './model.js';

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
