/** Payments that have every field of v2. What is printed for them is the version of stored copies, so they never change without a reason. */
import { toJson } from '../../base/json.js';
import { amount } from '../../base/money.js';
import type { PostalAddress } from '../../base/postal-address.js';
import { HOUR_MS, instant } from '../../base/time.js';
import { type Payment, PENDING_DEFAULTS } from './model.js';

const AT = instant(Date.UTC(2020, 1, 26, 10, 0, 0, 154));
const ID = '0VkQ8Tz1cR5nHs7Yd3Wf9KpX2mG';

const ADDRESS: Required<PostalAddress> = {
  address_line_1: '1455 Market Street',
  address_line_2: 'Suite 600',
  address_line_3: 'At the back',
  locality: 'San Francisco',
  sublocality: 'SoMa',
  sublocality_2: 'South',
  sublocality_3: 'Corner',
  administrative_district_level_1: 'CA',
  administrative_district_level_2: 'San Francisco County',
  administrative_district_level_3: 'District 6',
  postal_code: '94103',
  country: 'US',
  first_name: 'Noor',
  last_name: 'Ünal',
  organization: 'Noor\'s "Café"',
};

const CARD = {
  id: 'ccof:sample',
  card_brand: 'VISA',
  last_4: '1111',
  exp_month: 12,
  exp_year: 2030,
  cardholder_name: 'Noor Ünal',
  billing_address: ADDRESS,
  fingerprint: 'sq-1-sample',
  card_type: 'CREDIT',
  prepaid_type: 'NOT_PREPAID',
  bin: '411111',
};

const CARD_DETAILS = {
  card: CARD,
  entry_method: 'KEYED',
  cvv_status: 'CVV_ACCEPTED',
  avs_status: 'AVS_ACCEPTED',
  auth_result_code: '0aB1cD',
  application_identifier: 'A000000025010701',
  application_name: 'AMERICAN EXPRESS',
  application_cryptogram: '0B52A2EA3E9A3D4F',
  verification_method: 'PIN',
  verification_results: 'SUCCESS',
  statement_description: 'SQ *COFFEE',
  device_details: { device_id: 'DEVICE', device_name: 'Till "1"' },
};

const DETAILS = {
  order_id: '0VkQ6Lp8sD2xCv4Bn7Mq',
  reference_id: '1042',
  customer_id: 'CUSTOMER',
  buyer_email_address: 'noor@example.com',
  billing_address: ADDRESS,
  shipping_address: ADDRESS,
  note: 'Two: "flat whites",\n{"id":1}',
  statement_description_identifier: 'COFFEE',
};

const APPROVED: Payment = {
  ...PENDING_DEFAULTS,
  id: ID,
  saleId: ID,
  locationId: 'LQ5V6Y5D2BHYQ',
  channel: 'API',
  applicationId: 'sq0idp-sample',
  status: 'APPROVED',
  sourceType: 'CARD',
  createdAt: AT,
  updatedAt: AT,
  delayedUntil: instant(AT + 36 * HOUR_MS),
  delayDuration: 'PT36H',
  delayAction: 'COMPLETE',
  currency: 'USD',
  amount: amount(1000),
  tip: amount(150),
  total: amount(1150),
  appFee: amount(20),
  cardDetails: toJson(CARD_DETAILS),
  details: toJson(DETAILS),
};

const COMPLETED: Payment = {
  ...APPROVED,
  status: 'COMPLETED',
  updatedAt: instant(AT + 61_001),
  capturedAt: instant(AT + 61_001),
  delayedUntil: null,
  fee: amount(64),
  refunded: amount(300),
  refundIds: [`${ID}_0VkQ9Bq4hL6vJt8Na1Ce5RyZ7uXw2SdFgPk3MoVi0Tc`, `${ID}_other`],
  employeeId: '019cade8-5a40-7c15-8f2b-6d0e4a917c35',
};

const CANCELED: Payment = {
  ...COMPLETED,
  status: 'CANCELED',
  reversedFee: amount(47),
  reversedAt: instant(AT + 122_002),
};

/** Errors of records have the fields of errors in responses. */
const ERROR = {
  category: 'PAYMENT_METHOD_ERROR',
  code: 'GENERIC_DECLINE',
  detail: 'Declined: "no"',
  field: 'source_id',
};

const FAILED: Payment = {
  ...APPROVED,
  status: 'FAILED',
  delayedUntil: null,
  tip: null,
  appFee: null,
  cardDetails: null,
  details: toJson({ order_id: DETAILS.order_id }),
  errors: [ERROR, ERROR],
};

export const SAMPLE_PAYMENTS: readonly Payment[] = [APPROVED, COMPLETED, CANCELED, FAILED];
