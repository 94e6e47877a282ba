/** The v2 schemas of payments. */
import { Money, MoneyInput } from '../../api/money.js';
import type { PermissionRule } from '../../api/operation.js';
import { ErrorModel } from '../../api/render-error.js';
import { choice, Flag, model, optional, Time, Type, text } from '../../api/wire.js';
import { Address } from '../merchants/address.js';
import { PAYMENT_STATUSES, type VisibleStatus } from './model.js';

export const ProcessingFee = model('ProcessingFee', { effective_at: Time, type: Type.String(), amount_money: Money });

export const Card = model('Card', {
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

/** The card status for each payment status. The SQL function `print_payment` has the same table. */
export const CARD_STATUS = {
  APPROVED: 'AUTHORIZED',
  COMPLETED: 'CAPTURED',
  CANCELED: 'VOIDED',
  FAILED: 'FAILED',
} as const satisfies Record<VisibleStatus, string>;

const CardPaymentDetails = model('CardPaymentDetails', {
  status: choice(Object.values(CARD_STATUS)),
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
  location_id: optional(text(64, { minLength: 1 })), // a blank id would silently charge at the first location
  reference_id: optional(text(40)),
  verification_token: optional(text(255)),
  accept_partial_authorization: optional(Flag),
  buyer_email_address: optional(text(255)),
  billing_address: optional(Address),
  shipping_address: optional(Address),
  note: optional(text(500)),
  statement_description_identifier: optional(text(20)),
});

/** An application fee requires another permission (contract 5 rule 2). */
export const writeWithAppFee: PermissionRule = {
  always: 'PAYMENTS_WRITE',
  // Checks the body before it is validated. A null fee counts as absent and requires no permission.
  alsoFor: (body) =>
    ((body as { app_fee_money?: unknown } | null)?.app_fee_money ?? undefined) === undefined
      ? undefined
      : 'PAYMENTS_WRITE_ADDITIONAL_RECIPIENTS',
};

/**
 * Cuts the processing fee from the JSON text. The fee is the last member, and its name with unescaped quotes occurs nowhere
 * else.
 */
export function withoutFee(v2Json: string): string {
  const start = v2Json.lastIndexOf(',"processing_fee":[');
  return start < 0 ? v2Json : `${v2Json.slice(0, start)}}`;
}
