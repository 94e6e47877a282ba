/** Refunds in v2: their schemas, and the text that events and responses have. */
import { Money, MoneyInput, printMoney } from '../../api/money.js';
import { about, Bool, choice, model, optional, type Static, Time, Type, text } from '../../api/wire.js';
import { negate } from '../../base/money.js';
import { printMilliseconds } from '../../base/time.js';
import { payerOf } from '../payments/model.js';
import { ProcessingFee, printFee } from '../payments/v2.view.js';
import { type PrintableRefund, REFUND_STATUSES } from './model.js';

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
  payment_version_token: about(
    'The version token of the payment that the caller has seen. If the payment has changed since then, nothing is refunded.',
    optional(text(64)),
  ),
  reason: about('Why it is refunded.', optional(text(192))),
});

/** A refund as JSON text. */
export function printRefund(refund: PrintableRefund): string {
  const { currency, appFee, returnedFee, capturedAt, reason } = refund;
  // Negative, because the fee is returned to the seller. It counts from the same time as the fee.
  const fee =
    returnedFee === null || capturedAt === null
      ? ''
      : `,"processing_fee":[${printFee('INITIAL', negate(returnedFee), { currency, at: capturedAt })}]`;
  return (
    `{"id":"${refund.id}","status":"${refund.status}","location_id":"${refund.locationId}"` +
    `,"amount_money":${printMoney(refund.amount, currency)}` +
    (appFee === null ? '' : `,"app_fee_money":${printMoney(appFee, currency)}`) +
    fee +
    `,"payment_id":"${payerOf(refund)}","order_id":"${refund.orderId}"` +
    (reason === null ? '' : `,"reason":${JSON.stringify(reason)}`) +
    `,"source_type":"${refund.sourceType}","created_at":"${printMilliseconds(refund.createdAt)}"` +
    `,"updated_at":"${printMilliseconds(refund.updatedAt)}"}`
  );
}

/** The same as an object, for a response that contains several. */
export function toV2Refund(refund: PrintableRefund): Static<typeof PaymentRefund> {
  return JSON.parse(printRefund(refund));
}
