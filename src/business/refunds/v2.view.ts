/** The v2 schemas of refunds. The function `print_refund` prints them. */
import { Money, MoneyInput } from '../../api/money.js';
import { about, Bool, choice, model, optional, type Static, Time, Type, text } from '../../api/wire.js';
import { ProcessingFee } from '../payments/v2.view.js';
import { REFUND_STATUSES } from './model.js';

export const RefundStatusSchema = choice(REFUND_STATUSES);

export const PaymentRefund = model('PaymentRefund', {
  id: about('The id of the refund.', Type.String()),
  status: about('Whether the money has gone back.', RefundStatusSchema),
  location_id: about('The location of the payment.', Type.String()),
  amount_money: about('What is refunded.', Money),
  app_fee_money: about("The application's share of the refund.", optional(Money)),
  processing_fee: about(
    'The part of the processing fee that the merchant gets back.',
    optional(Type.Array(ProcessingFee)),
  ),
  payment_id: about('The payment that is refunded.', Type.String()),
  order_id: about('The order of the payment.', Type.String()),
  reason: about('Why it is refunded.', optional(Type.String())),
  source_type: about('How the payment was made.', Type.String()),
  created_at: about('When the refund was made.', Time),
  updated_at: about('When the refund was last changed.', Time),
});

/** A field of what a register gets for refunds that it made. */
export const Erased = about(
  'True in the response to a retry if the data of the buyer was erased from it: the reasons are absent.',
  optional(Bool),
);

export const RefundPaymentBody = Type.Object({
  idempotency_key: about(
    'A unique text. A retry with the same key makes no second refund.',
    text(192, { minLength: 1 }),
  ),
  amount_money: about('What to refund.', MoneyInput),
  app_fee_money: about("The application's share of the refund.", optional(MoneyInput)),
  payment_id: about('The payment to refund.', text(192, { minLength: 1 })),
  reason: about('Why it is refunded.', optional(text(192))),
});

/** Reads a printed refund, for a response that contains several. */
export function parseV2Refund({ v2Json }: { readonly v2Json: string }): Static<typeof PaymentRefund> {
  return JSON.parse(v2Json);
}
