/** The v2 schemas of refunds. The function `print_refund` prints them. */
import { Money, MoneyInput } from '../../api/money.js';
import { choice, model, optional, type Static, Time, Type, text } from '../../api/wire.js';
import { ProcessingFee } from '../payments/v2.view.js';
import { REFUND_STATUSES } from './model.js';

export const RefundStatusSchema = choice(REFUND_STATUSES);

export const PaymentRefund = model('PaymentRefund', {
  id: Type.String(),
  status: RefundStatusSchema,
  location_id: Type.String(),
  amount_money: Money,
  app_fee_money: optional(Money),
  processing_fee: optional(Type.Array(ProcessingFee)),
  payment_id: Type.String(),
  order_id: Type.String(),
  reason: optional(Type.String()),
  source_type: Type.String(),
  created_at: Time,
  updated_at: Time,
});

export const RefundPaymentBody = Type.Object({
  idempotency_key: text(192, { minLength: 1 }),
  amount_money: MoneyInput,
  app_fee_money: optional(MoneyInput),
  payment_id: text(192, { minLength: 1 }),
  reason: optional(text(192)),
});

/** Reads a printed refund, for a response that contains several. */
export function readV2Refund({ v2Json }: { readonly v2Json: string }): Static<typeof PaymentRefund> {
  return JSON.parse(v2Json);
}
