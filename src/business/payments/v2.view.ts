/** Payments as the second generation shows and takes them. */
import { Money, MoneyInput, toMoney } from '../../api/money.js';
import type { PermissionRule } from '../../api/operation.js';
import { toError } from '../../api/render-error.js';
import { choice, Flag, model, optional, present, type Static, Time, Type, text } from '../../api/wire.js';
import { Refusal, type RefusalName } from '../../base/errors.js';
import { type Amount, ZERO } from '../../base/money.js';
import { instant, printMilliseconds, SECOND_MS, wholeSecond } from '../../base/time.js';
import type { Card as CardModel } from '../../processor/contract.js';
import { Address } from '../merchants/address.js';
import { PAYMENT_STATUSES, type Payment as PaymentModel, type VisibleStatus } from './model.js';

export const ProcessingFee = model('ProcessingFee', { effective_at: Time, type: Type.String(), amount_money: Money });

const ErrorModel = model('Error', {
  category: Type.String(),
  code: Type.String(),
  detail: optional(Type.String()),
  field: optional(Type.String()),
});

const Card = model('Card', {
  id: optional(Type.String()),
  card_brand: Type.String(),
  last_4: Type.String(),
  exp_month: Type.Integer(),
  exp_year: Type.Integer(),
  cardholder_name: optional(Type.String()),
  billing_address: optional(Address),
  fingerprint: Type.String(),
  card_type: Type.String(),
  prepaid_type: Type.String(),
  bin: Type.String(),
});

const CardPaymentDetails = model('CardPaymentDetails', {
  status: choice(['AUTHORIZED', 'CAPTURED', 'VOIDED', 'FAILED']),
  card: optional(Card),
  entry_method: optional(Type.String()),
  cvv_status: optional(Type.String()),
  avs_status: optional(Type.String()),
  auth_result_code: optional(Type.String()),
  application_identifier: optional(Type.String()),
  application_name: optional(Type.String()),
  application_cryptogram: optional(Type.String()),
  verification_method: optional(Type.String()),
  verification_results: optional(Type.String()),
  statement_description: optional(Type.String()),
  device_details: optional(
    model('DeviceDetails', { device_id: optional(Type.String()), device_name: optional(Type.String()) }),
  ),
  errors: optional(Type.Array(ErrorModel)),
});

export const Payment = model('Payment', {
  id: Type.String(),
  created_at: Time,
  updated_at: Time,
  amount_money: Money,
  tip_money: optional(Money),
  total_money: Money,
  app_fee_money: optional(Money),
  processing_fee: optional(Type.Array(ProcessingFee)),
  refunded_money: optional(Money),
  status: choice(PAYMENT_STATUSES),
  source_type: Type.String(),
  card_details: CardPaymentDetails,
  location_id: Type.String(),
  order_id: Type.String(),
  reference_id: optional(Type.String()),
  customer_id: optional(Type.String()),
  employee_id: optional(Type.String()),
  refund_ids: optional(Type.Array(Type.String())),
  buyer_email_address: optional(Type.String()),
  billing_address: optional(Address),
  shipping_address: optional(Address),
  note: optional(Type.String()),
  statement_description_identifier: optional(Type.String()),
  receipt_number: optional(Type.String()),
  receipt_url: optional(Type.String()),
});

export const CreatePaymentBody = Type.Object({
  source_id: text(255, { minLength: 1 }),
  idempotency_key: text(45, { minLength: 1 }),
  amount_money: MoneyInput,
  tip_money: optional(MoneyInput),
  app_fee_money: optional(MoneyInput),
  autocomplete: optional(Flag),
  order_id: optional(text(192)),
  customer_id: optional(text(191)),
  location_id: optional(text(64)),
  reference_id: optional(text(40)),
  verification_token: optional(text(255)),
  accept_partial_authorization: optional(Flag),
  buyer_email_address: optional(text(255)),
  billing_address: optional(Address),
  shipping_address: optional(Address),
  note: optional(text(500)),
  statement_description_identifier: optional(text(20)),
});

/** Spec 5 rule 2: a share for the application needs a permission of its own. */
export const writeWithAppFee: PermissionRule = {
  always: 'PAYMENTS_WRITE',
  // The body as it came: what counts as absent there needs no permission.
  alsoFor: (body) =>
    ((body as { app_fee_money?: unknown } | null)?.app_fee_money ?? undefined) === undefined
      ? undefined
      : 'PAYMENTS_WRITE_ADDITIONAL_RECIPIENTS',
};

const CARD_STATUS: Readonly<Record<VisibleStatus, 'AUTHORIZED' | 'CAPTURED' | 'VOIDED' | 'FAILED'>> = {
  APPROVED: 'AUTHORIZED',
  COMPLETED: 'CAPTURED',
  CANCELED: 'VOIDED',
  FAILED: 'FAILED',
};

const FEE_DELAY_MS = 2 * 60 * 60 * SECOND_MS;

/** The answer to a create or complete shows no fee yet; reading it later does. */
export function toPayment(payment: PaymentModel, { withFee }: { withFee: boolean }): Static<typeof Payment> {
  const money = (value: Amount) => toMoney(value, payment.currency);
  const { details, status, tip, appFee, fee, capturedAt } = payment;
  return {
    id: payment.id,
    created_at: printMilliseconds(payment.createdAt),
    updated_at: printMilliseconds(payment.updatedAt),
    amount_money: money(payment.amount),
    ...(tip !== null && { tip_money: money(tip) }),
    total_money: money(payment.total),
    ...(appFee !== null && { app_fee_money: money(appFee) }),
    ...(withFee &&
      fee !== null &&
      capturedAt !== null && {
        processing_fee: [
          {
            effective_at: printMilliseconds(wholeSecond(instant(capturedAt + FEE_DELAY_MS))),
            type: 'INITIAL',
            amount_money: money(fee),
          },
        ],
      }),
    ...(payment.refunded > ZERO && { refunded_money: money(payment.refunded) }),
    status,
    source_type: payment.sourceType,
    card_details: {
      status: CARD_STATUS[status],
      ...(payment.card && toCardDetails(payment.card)),
      ...(payment.errors && { errors: payment.errors.map(toPaymentError) }),
    },
    location_id: payment.locationId,
    order_id: details.orderId,
    ...(payment.refundIds.length > 0 && { refund_ids: [...payment.refundIds] }),
    ...present({
      reference_id: details.referenceId,
      customer_id: details.customerId,
      buyer_email_address: details.buyerEmailAddress,
      billing_address: details.billingAddress,
      shipping_address: details.shippingAddress,
      note: details.note,
      statement_description_identifier: details.statementDescriptionIdentifier,
    }),
    // The id begins with the time, so its end tells payments apart.
    ...((status === 'APPROVED' || status === 'COMPLETED') && { receipt_number: payment.id.slice(-4) }),
    ...(status === 'COMPLETED' && { receipt_url: `https://squareup.com/receipt/preview/${payment.id}` }),
  };
}

function toCardDetails(card: CardModel) {
  return {
    card: {
      ...(card.id !== undefined && { id: card.id }),
      card_brand: card.brand,
      last_4: card.last4,
      exp_month: card.expMonth,
      exp_year: card.expYear,
      fingerprint: card.fingerprint,
      card_type: card.type,
      prepaid_type: card.prepaidType,
      bin: card.bin,
    },
    entry_method: card.entryMethod,
    cvv_status: card.cvvStatus,
    avs_status: card.avsStatus,
    ...(card.authResultCode !== undefined && { auth_result_code: card.authResultCode }),
  };
}

function toPaymentError({ code, detail }: { code: string; detail: string }) {
  return toError(new Refusal(code as RefusalName, { detail }));
}
