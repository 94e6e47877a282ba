/** Payments in v2: their schemas, and the text that a stored copy, an event and a response have. */
import { Money, MoneyInput, printMoney } from '../../api/money.js';
import type { PermissionRule } from '../../api/operation.js';
import { ErrorModel } from '../../api/render-error.js';
import { about, Bool, choice, model, optional, Time, Type, text } from '../../api/wire.js';
import type { JsonText } from '../../base/json.js';
import { type Amount, negate, ZERO } from '../../base/money.js';
import { RECEIPT_STATUS, type ReceiptSite, receiptUrlParts } from '../../base/receipt-url.js';
import { HOUR_MS, type Instant, instant, printMilliseconds, wholeSecond } from '../../base/time.js';
import { Address } from '../merchants/address.view.js';
import { DELAY_ACTIONS, delayActionOf, delayDurationOf, delayedUntilOf } from './delay-model.js';
import { PAYMENT_STATUSES, type Payment, type PaymentStatus, type VisibleStatus, versionTokenOf } from './model.js';

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

/** The card status for each payment status. */
export const CARD_STATUS = {
  APPROVED: 'AUTHORIZED',
  COMPLETED: 'CAPTURED',
  CANCELED: 'VOIDED',
  FAILED: 'FAILED',
} as const satisfies Record<VisibleStatus, string>;

const CardPaymentDetails = model('CardPaymentDetails', {
  status: about('Whether the card was authorized, charged, released or declined.', choice(Object.values(CARD_STATUS))),
  card: about('The brand, the last digits and the like. Never the number.', optional(Card)),
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
  card_payment_timeline: about(
    'What happened when. Absent if the card was declined.',
    optional(
      model('CardPaymentTimeline', {
        authorized_at: about('When the card was authorized.', Time),
        captured_at: about('When it was charged.', optional(Time)),
        voided_at: about('When the payment was canceled.', optional(Time)),
      }),
    ),
  ),
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

/** What an application may change of a payment that it has not captured. */
const CAPABILITIES = ['EDIT_AMOUNT_UP', 'EDIT_AMOUNT_DOWN', 'EDIT_TIP_AMOUNT_UP', 'EDIT_TIP_AMOUNT_DOWN'] as const;

/** Where a payment was taken, in the words of v2. */
const PRODUCTS = {
  API: 'ECOMMERCE_API',
  REGISTER: 'SQUARE_POS',
  ONLINE_STORE: 'ONLINE_STORE',
} as const satisfies Record<Payment['channel'], string>;

export const V2Payment = model('Payment', {
  id: about('The id of the payment.', Type.String()),
  created_at: about('When the payment was made.', Time),
  updated_at: about('When the payment was last changed.', Time),
  amount_money: about('The amount without the tip.', Money),
  tip_money: about('The tip, on top of the amount.', optional(Money)),
  total_money: about('The amount with the tip.', Money),
  app_fee_money: about("The application's share.", optional(Money)),
  approved_money: about('What the card has approved, with the tip. 0 if it was declined.', Money),
  processing_fee: about('The processing fees, once they are known.', optional(Type.Array(ProcessingFee))),
  refunded_money: about('What was refunded.', optional(Money)),
  status: about('The state of the payment.', choice(PAYMENT_STATUSES)),
  delay_duration: about(
    'How long the payment waits for completePayment or cancelPayment, if it was created with autocomplete false.',
    Type.String(),
  ),
  delay_action: about('What happens to the payment if it waits longer.', choice(DELAY_ACTIONS)),
  delayed_until: about('When it has waited long enough: the time of creation and delay_duration.', Time),
  source_type: about('How the payment was made.', Type.String()),
  card_details: about('The card and what happened with it.', CardPaymentDetails),
  location_id: about('The location of the payment.', Type.String()),
  order_id: about('The order that the payment belongs to.', Type.String()),
  reference_id: about('The id of the payment in another system.', optional(Type.String())),
  customer_id: about('The customer who paid.', optional(Type.String())),
  employee_id: about('The employee who took the payment.', optional(Type.String())),
  team_member_id: about('The same employee, under the name of newer clients.', optional(Type.String())),
  refund_ids: about('The refunds of the payment.', optional(Type.Array(Type.String()))),
  buyer_email_address: about('The email address of the buyer.', optional(Type.String())),
  billing_address: about('The billing address of the buyer.', optional(Address)),
  shipping_address: about('The shipping address of the buyer.', optional(Address)),
  note: about('A note about the payment.', optional(Type.String())),
  statement_description_identifier: about(
    'What the bank statement of the buyer shows additionally.',
    optional(Type.String()),
  ),
  capabilities: about(
    'What can be changed of the payment. Absent unless it is APPROVED.',
    optional(Type.Array(choice(CAPABILITIES))),
  ),
  application_details: about(
    'Where the payment was taken.',
    model('ApplicationDetails', {
      square_product: about('The part of the product that took the payment.', choice(Object.values(PRODUCTS))),
      application_id: about('The application that made the payment.', optional(Type.String())),
    }),
  ),
  version_token: about('Another text after every change of the payment. completePayment can name it.', Type.String()),
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
  tip_money: about('The tip, on top of the amount.', optional(MoneyInput)),
  app_fee_money: about(
    "The application's share. Requires `PAYMENTS_WRITE_ADDITIONAL_RECIPIENTS`.",
    optional(MoneyInput),
  ),
  autocomplete: about(
    'Whether the payment is captured at once. Default: true. Otherwise capture it with completePayment.',
    optional(Bool),
  ),
  delay_duration: about(
    'How long a payment with autocomplete false waits to be completed or canceled: PT1M to P36D. Default: PT168H.',
    optional(text(64, { minLength: 1 })),
  ),
  delay_action: about('What happens to it if it waits longer. Default: CANCEL.', optional(choice(DELAY_ACTIONS))),
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
 * A payment of a card as JSON text, up to the address of its receipt: a stored copy has this part. It builds no objects, because most of the
 * text is stored as text. v2 shows cards only (decision 0025).
 */
export function printPaymentStart(payment: Payment<PaymentStatus>): string {
  return printStart(payment, printProcessingFees(payment));
}

/** What follows: the address of the receipt, if there is one. It depends on the server. */
export function printPaymentEnd({ id, status }: Payment<PaymentStatus>, site: ReceiptSite): string {
  if (status !== RECEIPT_STATUS) return END_WITHOUT_RECEIPT;
  const { before, after } = endWithReceipt(site);
  return before + id + after;
}

/** The same in parts, for the statement that joins ends to many copies: what comes before and after the id of a payment with a receipt. */
export function endWithReceipt(site: ReceiptSite): { readonly before: string; readonly after: string } {
  const { before, after } = receiptUrlParts(site);
  return { before: `,"receipt_url":"${before}`, after: `${after}"}` };
}

export const END_WITHOUT_RECEIPT = '}';

/** The whole text. */
export function printPayment(payment: Payment<PaymentStatus>, site: ReceiptSite): string {
  return printPaymentStart(payment) + printPaymentEnd(payment, site);
}

/** The responses to createPayment, completePayment and cancelPayment leave the processing fee out. */
export function printPaymentWithoutFee(payment: Payment, site: ReceiptSite): string {
  return printStart(payment, '') + printPaymentEnd(payment, site);
}

function printStart(payment: Payment<PaymentStatus>, fees: string): string {
  const { id, currency, status, tip, appFee, refunded, employeeId, refundIds } = payment;
  return (
    `{"id":"${id}","created_at":"${printMilliseconds(payment.createdAt)}"` +
    `,"updated_at":"${printMilliseconds(payment.updatedAt)}"` +
    `,"amount_money":${printMoney(payment.amount, currency)}` +
    (tip === null ? '' : `,"tip_money":${printMoney(tip, currency)}`) +
    `,"total_money":${printMoney(payment.total, currency)}` +
    (appFee === null ? '' : `,"app_fee_money":${printMoney(appFee, currency)}`) +
    `,"approved_money":${printMoney(status === 'FAILED' ? ZERO : payment.total, currency)}` +
    fees +
    (refunded === ZERO ? '' : `,"refunded_money":${printMoney(refunded, currency)}`) +
    `,"status":"${status}"${printDelay(payment)},"source_type":"${payment.sourceType}"` +
    `,"card_details":${printCardDetails(payment)}` +
    `,"location_id":"${payment.locationId}"${printMembers(payment.details)}` +
    (employeeId === null ? '' : `,"employee_id":"${employeeId}","team_member_id":"${employeeId}"`) +
    (refundIds.length === 0 ? '' : `,"refund_ids":["${refundIds.join('","')}"]`) +
    (status === 'APPROVED' ? PRINTED_CAPABILITIES : '') +
    printApplication(payment) +
    `,"version_token":"${versionTokenOf(payment)}"` +
    // The end of the id, because ids begin with the time and their beginnings are alike.
    (status === 'APPROVED' || status === RECEIPT_STATUS ? `,"receipt_number":"${id.slice(-4)}"` : '')
  );
}

const PRINTED_CAPABILITIES = `,"capabilities":${JSON.stringify(CAPABILITIES)}`;

function printDelay(payment: Payment<PaymentStatus>): string {
  const until = printMilliseconds(delayedUntilOf(payment));
  return `,"delay_duration":"${delayDurationOf(payment)}","delay_action":"${delayActionOf(payment)}","delayed_until":"${until}"`;
}

function printApplication({ channel, applicationId }: Payment<PaymentStatus>): string {
  const application = applicationId === null ? '' : `,"application_id":"${applicationId}"`;
  return `,"application_details":{"square_product":"${PRODUCTS[channel]}"${application}}`;
}

/** Only the export of a buyer's data has payments without an outcome. */
const ANY_CARD_STATUS: Readonly<Record<PaymentStatus, string>> = { ...CARD_STATUS, PENDING: 'PENDING' };

function printCardDetails(payment: Payment<PaymentStatus>): string {
  const { status, cardDetails, errors } = payment;
  const members = cardDetails === null ? '' : printMembers(cardDetails);
  const reasons = errors === null ? '' : `,"errors":${JSON.stringify(errors)}`;
  return `{"status":"${ANY_CARD_STATUS[status]}"${members}${printTimeline(payment)}${reasons}}`;
}

function printTimeline({ status, createdAt, capturedAt, reversedAt, updatedAt }: Payment<PaymentStatus>): string {
  if (status === 'FAILED' || status === 'PENDING') return '';
  const captured = capturedAt === null ? '' : `,"captured_at":"${printMilliseconds(capturedAt)}"`;
  const voided = status === 'CANCELED' ? `,"voided_at":"${printMilliseconds(reversedAt ?? updatedAt)}"` : '';
  return `,"card_payment_timeline":{"authorized_at":"${printMilliseconds(createdAt)}"${captured}${voided}}`;
}

/** The members of a stored document, after others. */
function printMembers(document: JsonText<object>): string {
  return document.length <= 2 ? '' : `,${document.slice(1, -1)}`;
}

const FEE_DELAY_MS = 2 * HOUR_MS;

function printProcessingFees({ fee, capturedAt, reversedFee, reversedAt, currency }: Payment<PaymentStatus>): string {
  if (fee === null || capturedAt === null) return '';
  // Negative, because the fee is returned to the seller.
  const reversed =
    reversedAt !== null && reversedFee > ZERO
      ? `,${printFee('ADJUSTMENT', negate(reversedFee), { currency, at: reversedAt })}`
      : '';
  return `,"processing_fee":[${printFee('INITIAL', fee, { currency, at: capturedAt })}${reversed}]`;
}

/** Also of a refund, whose part of the fee has the time of the fee. */
export function printFee(
  type: 'INITIAL' | 'ADJUSTMENT',
  amount: Amount,
  { currency, at }: { readonly currency: string; readonly at: Instant },
): string {
  const effectiveAt = printMilliseconds(wholeSecond(instant(at + FEE_DELAY_MS)));
  return `{"effective_at":"${effectiveAt}","type":"${type}","amount_money":${printMoney(amount, currency)}}`;
}
