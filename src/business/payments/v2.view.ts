/** The v2 schemas of payments. */
import { Money, MoneyInput } from '../../api/money.js';
import type { PermissionRule } from '../../api/operation.js';
import { ErrorModel } from '../../api/render-error.js';
import { about, Bool, choice, model, optional, Time, Type, text } from '../../api/wire.js';
import { Address } from '../merchants/address.view.js';
import { PAYMENT_STATUSES, type VisibleStatus } from './model.js';

export const ProcessingFee = model('ProcessingFee', {
  effective_at: about('When the fee was taken.', Time),
  type: about('Whether the fee was taken first or adjusted later.', Type.String()),
  amount_money: about('The amount of the fee.', Money),
});

export const Card = model('Card', {
  id: about('The id of a stored card.', optional(Type.String())),
  card_brand: about('The brand of the card.', Type.String()),
  last_4: about('The last four digits of the card number.', Type.String()),
  exp_month: about('The month in which the card expires.', optional(Type.Integer())),
  exp_year: about('The year in which the card expires.', optional(Type.Integer())),
  cardholder_name: about('The name on the card.', optional(Type.String())),
  billing_address: about('The billing address of the card.', optional(Address)),
  fingerprint: about('The same text for the same card number.', optional(Type.String())),
  card_type: about('Whether it is a credit or a debit card. Absent if the card was declined.', optional(Type.String())),
  prepaid_type: about('Whether the card is prepaid. Absent if the card was declined.', optional(Type.String())),
  bin: about('The first six digits of the card number.', optional(Type.String())),
});

/** The card status for each payment status. The SQL function `print_payment` has the same table. */
export const CARD_STATUS = {
  APPROVED: 'AUTHORIZED',
  COMPLETED: 'CAPTURED',
  CANCELED: 'VOIDED',
  FAILED: 'FAILED',
} as const satisfies Record<VisibleStatus, string>;

const CardPaymentDetails = model('CardPaymentDetails', {
  status: about('What happened with the card.', choice(Object.values(CARD_STATUS))),
  card: about('The card.', optional(Card)),
  entry_method: about('How the card was read.', optional(Type.String())),
  cvv_status: about('Whether the security code was right. Absent if the card was declined.', optional(Type.String())),
  avs_status: about('Whether the billing address was right. Absent if the card was declined.', optional(Type.String())),
  auth_result_code: about('The code of the authorization.', optional(Type.String())),
  application_identifier: about('The application of the chip.', optional(Type.String())),
  application_name: about('The name of the application of the chip.', optional(Type.String())),
  application_cryptogram: about('The cryptogram of the chip.', optional(Type.String())),
  verification_method: about('How the cardholder was verified.', optional(Type.String())),
  verification_results: about('The result of the verification.', optional(Type.String())),
  statement_description: about('What the bank statement of the buyer shows.', optional(Type.String())),
  device_details: about(
    'The register that read the card.',
    optional(
      model('DeviceDetails', {
        device_id: about('The id of the register.', optional(Type.String())),
        device_name: about('The name of the register.', optional(Type.String())),
      }),
    ),
  ),
  errors: about('Why the card was declined.', optional(Type.Array(ErrorModel))),
});

export const Payment = model('Payment', {
  id: about('The id of the payment.', Type.String()),
  created_at: about('When the payment was made.', Time),
  updated_at: about('When the payment was last changed.', Time),
  amount_money: about('The amount without the tip.', Money),
  tip_money: about('The tip.', optional(Money)),
  total_money: about('The amount with the tip.', Money),
  app_fee_money: about("The application's share.", optional(Money)),
  processing_fee: about('The processing fees, once they are known.', optional(Type.Array(ProcessingFee))),
  refunded_money: about('What was refunded.', optional(Money)),
  status: about('The state of the payment.', choice(PAYMENT_STATUSES)),
  source_type: about('How the payment was made.', Type.String()),
  card_details: about('The card and what happened with it.', CardPaymentDetails),
  location_id: about('The location of the payment.', Type.String()),
  order_id: about('The order that the payment belongs to.', Type.String()),
  reference_id: about('The id of the payment in another system.', optional(Type.String())),
  customer_id: about('The customer who paid.', optional(Type.String())),
  employee_id: about('The employee who took the payment.', optional(Type.String())),
  refund_ids: about('The refunds of the payment.', optional(Type.Array(Type.String()))),
  buyer_email_address: about('The email address of the buyer.', optional(Type.String())),
  billing_address: about('The billing address of the buyer.', optional(Address)),
  shipping_address: about('The shipping address of the buyer.', optional(Address)),
  note: about('A note about the payment.', optional(Type.String())),
  statement_description_identifier: about(
    'What the bank statement of the buyer shows additionally.',
    optional(Type.String()),
  ),
  receipt_number: about('The number of the receipt.', optional(Type.String())),
  receipt_url: about("The address of the buyer's receipt.", optional(Type.String())),
});

export const CreatePaymentBody = Type.Object({
  source_id: about('What to charge: a card token, or in a sandbox a test source.', text(255, { minLength: 1 })),
  idempotency_key: about(
    'A unique text. A retry with the same key makes no second payment.',
    text(45, { minLength: 1 }),
  ),
  amount_money: about('The amount without the tip.', MoneyInput),
  tip_money: about('The tip.', optional(MoneyInput)),
  app_fee_money: about(
    "The application's share. Requires `PAYMENTS_WRITE_ADDITIONAL_RECIPIENTS`.",
    optional(MoneyInput),
  ),
  autocomplete: about(
    'Whether the payment is captured at once. Default: true. Otherwise capture it with completePayment.',
    optional(Bool),
  ),
  order_id: about('The order that the payment belongs to.', optional(text(192))),
  customer_id: about('The customer who pays.', optional(text(191))),
  // Not empty: an empty id would silently charge at the main location.
  location_id: about('The location of the payment. Default: the main location.', optional(text(64, { minLength: 1 }))),
  reference_id: about('The id of the payment in another system.', optional(text(40))),
  verification_token: about('The token of a verified buyer.', optional(text(255))),
  accept_partial_authorization: about('Whether a gift card may pay less than the amount.', optional(Bool)),
  buyer_email_address: about('The email address of the buyer.', optional(text(255))),
  billing_address: about('The billing address of the buyer.', optional(Address)),
  shipping_address: about('The shipping address of the buyer.', optional(Address)),
  note: about('A note about the payment.', optional(text(500))),
  statement_description_identifier: about(
    'What the bank statement of the buyer shows additionally.',
    optional(text(20)),
  ),
});

/** An application fee requires another permission (contract 5 rule 2). */
export const writeWithAppFee: PermissionRule = {
  always: 'PAYMENTS_WRITE',
  withField: { name: 'app_fee_money', permission: 'PAYMENTS_WRITE_ADDITIONAL_RECIPIENTS' },
};

/**
 * Cuts the processing fee from the JSON text. The fee is the last member, and its name with unescaped quotes occurs nowhere
 * else.
 */
export function withoutFee(v2Json: string): string {
  const start = v2Json.lastIndexOf(',"processing_fee":[');
  return start < 0 ? v2Json : `${v2Json.slice(0, start)}}`;
}
