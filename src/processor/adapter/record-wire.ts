/** The format of an adapter's records: what `GET /records` returns (decision 0182). */
import { Ajv } from 'ajv';
import { RECORD_STATES } from '../contract.js';
import { about, fee, Money, object, oneOf, type Schema, text } from './wire.js';

export const RECORDS_PATH = '/records';

/** Longer than a page of a thousand records. */
export const MAX_PAGE_BYTES = 1024 * 1024;

const common = {
  id: about('The id that your processor shows to the merchant.', text()),
  key: about('The key of the call that made it. Absent if no call made the record.', text()),
  merchant_id: about('The merchant of the call. Absent if no call made the record.', text(64)),
  payment_id: about('The payment of the call. Absent if no call made the record.', text(64)),
  created_at: about('When it was made. A record keeps this time when its state changes.', {
    type: 'string',
    format: 'date-time',
  }),
};
const ABSENT_WITHOUT_CALL = ['key', 'merchant_id', 'payment_id'];

const PaymentRecord = object(
  {
    type: { type: 'string', const: 'payment' },
    ...common,
    state: about('The state of the payment. Declined charges are not listed.', oneOf(RECORD_STATES.payment)),
    amount_money: about('What was approved.', Money),
    fee,
  },
  [...ABSENT_WITHOUT_CALL, 'fee'],
);

const RefundRecord = object(
  {
    type: { type: 'string', const: 'refund' },
    ...common,
    state: about('The state of the refund. `failed`: no money went back.', oneOf(RECORD_STATES.refund)),
    amount_money: about('What went back.', Money),
  },
  ABSENT_WITHOUT_CALL,
);

export const RecordPage: Schema = object(
  {
    records: about('The records, oldest first.', { type: 'array', items: { oneOf: [PaymentRecord, RefundRecord] } }),
    cursor: about('Send it to get the next page. Absent on the last page.', text(1024)),
  },
  ['cursor'],
);

export interface WireRecord {
  readonly type: 'payment' | 'refund';
  readonly id: string;
  readonly key?: string;
  readonly merchant_id?: string;
  readonly payment_id?: string;
  readonly created_at: string;
  readonly state: string;
  readonly amount_money: { readonly amount: number; readonly currency: string };
  readonly fee?: number;
}

/** `whyNoPage` guarantees it. */
export interface WireRecordPage {
  readonly records: readonly WireRecord[];
  readonly cursor?: string;
}

const validate = new Ajv({
  strict: false,
  meta: false,
  validateSchema: false,
  discriminator: true,
  formats: { 'date-time': (value: string) => /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value)) },
}).compile({
  ...RecordPage,
  properties: {
    ...(RecordPage['properties'] as object),
    // With the discriminator, an error says what is wrong with a record of this type.
    records: {
      type: 'array',
      items: {
        type: 'object',
        required: ['type'],
        discriminator: { propertyName: 'type' },
        oneOf: [PaymentRecord, RefundRecord],
      },
    },
  },
});

/** Why a body is no page of records. Undefined if it is one. */
export function whyNoPage(body: unknown): string | undefined {
  if (validate(body)) return undefined;
  return (validate.errors ?? [])
    .map(({ instancePath, message }) => `${instancePath.slice(1).replaceAll('/', '.') || 'the body'} ${message}`)
    .join('; ');
}
