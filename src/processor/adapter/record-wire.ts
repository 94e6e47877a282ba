/** The format of an adapter's records: what `GET /records` returns (decision 0182). */
import { Ajv } from 'ajv';
import { about, choice, type Static, Type } from '../../base/schema.js';
import { RECORD_STATES } from '../contract.js';
import { fee, Money, text } from './wire.js';

export const RECORDS_PATH = '/records';

/** Longer than a page of a thousand records. */
export const MAX_PAGE_BYTES = 1024 * 1024;

const common = {
  id: about('The id that your processor shows to the merchant.', text()),
  key: about('The key of the call that made it. Absent if no call made the record.', Type.Optional(text())),
  merchant_id: about('The merchant of the call. Absent if no call made the record.', Type.Optional(text(64))),
  payment_id: about('The payment of the call. Absent if no call made the record.', Type.Optional(text(64))),
  created_at: about(
    'When it was made. A record keeps this time when its state changes.',
    Type.String({ format: 'date-time' }),
  ),
};

const PaymentRecord = Type.Object({
  type: Type.Literal('payment'),
  ...common,
  state: about('The state of the payment. Declined charges are not listed.', choice(RECORD_STATES.payment)),
  amount_money: about('What was approved.', Money),
  fee: Type.Optional(fee),
});

const RefundRecord = Type.Object({
  type: Type.Literal('refund'),
  ...common,
  state: about('The state of the refund. `failed`: no money went back.', choice(RECORD_STATES.refund)),
  amount_money: about('What went back.', Money),
});

export const RecordPage = Type.Object({
  records: about('The records, oldest first.', Type.Array(Type.OneOf(PaymentRecord, RefundRecord))),
  cursor: about('Send it to get the next page. Absent on the last page.', Type.Optional(text(1024))),
});

/** `invalidPageReason` guarantees it. */
export type WireRecordPage = Static<typeof RecordPage>;
export type WireRecord = WireRecordPage['records'][number];

const validate = new Ajv({
  strict: false,
  meta: false,
  validateSchema: false,
  discriminator: true,
  formats: { 'date-time': (value: string) => /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value)) },
}).compile({
  ...RecordPage,
  properties: {
    ...RecordPage.properties,
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
export function invalidPageReason(body: unknown): string | undefined {
  if (validate(body)) return undefined;
  return (validate.errors ?? [])
    .map(({ instancePath, message }) => `${instancePath.slice(1).replaceAll('/', '.') || 'the body'} ${message}`)
    .join('; ');
}
