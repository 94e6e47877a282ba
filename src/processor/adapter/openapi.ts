/** The OpenAPI 3.1 description of the HTTP contract that an adapter speaks (decision 0185). */
import { JSON_TYPE } from '../../base/json.js';
import { Type, withDescriptions } from '../../base/schema.js';
import { RECORDS_PATH, RecordPage } from './record-wire.js';
import { SIGNATURE_HEADER } from './signature.js';
import { ACTIONS, type Action, ANSWERS, REQUESTS } from './wire.js';

const SUMMARIES: Readonly<Record<Action, string>> = {
  authorize: 'Charges a source, or reserves the amount.',
  capture: 'Takes a reserved amount.',
  void: 'Releases a reserved amount. The outcome is the same if it was released or has expired before.',
  refund: 'Sends money back. All refunds of a payment together are never more than what was taken.',
};

const KEY_OF_VOID = '7WQ0KXC8ZSD90:bP9mAsEMYPUGjjGNaNO5ZDVyLhSZY:CANCEL';

type Example = Readonly<Record<string, unknown>>;

const EXAMPLES: Readonly<Record<Action, readonly [request: Example & { readonly key: string }, answer: object]>> = {
  authorize: [
    {
      key: '7WQ0KXC8ZSD90:bP9mAsEMYPUGjjGNaNO5ZDVyLhSZY:CREATE',
      merchant_id: '7WQ0KXC8ZSD90',
      payment_id: 'bP9mAsEMYPUGjjGNaNO5ZDVyLhSZY',
      source_id: 'cnon:tok_1NirD82eZvKYlo2CIvbtLWuY',
      amount_money: { amount: 1290, currency: 'USD' },
      accept_partial: false,
      capture: true,
    },
    { outcome: 'approved', amount: 1290, card: { brand: 'VISA', last_4: '4242', type: 'CREDIT' }, fee: 67 },
  ],
  capture: [
    {
      key: '7WQ0KXC8ZSD90:bP9mAsEMYPUGjjGNaNO5ZDVyLhSZY:COMPLETE',
      merchant_id: '7WQ0KXC8ZSD90',
      payment_id: 'bP9mAsEMYPUGjjGNaNO5ZDVyLhSZY',
    },
    { outcome: 'captured', fee: 67 },
  ],
  void: [
    {
      key: KEY_OF_VOID,
      merchant_id: '7WQ0KXC8ZSD90',
      payment_id: 'bP9mAsEMYPUGjjGNaNO5ZDVyLhSZY',
    },
    { outcome: 'voided' },
  ],
  refund: [
    {
      key: '7WQ0KXC8ZSD90:bP9mAsEMYPUGjjGNaNO5ZDVyLhSZY_KdWmgC9Mlg1rX2Zx',
      merchant_id: '7WQ0KXC8ZSD90',
      payment_id: 'bP9mAsEMYPUGjjGNaNO5ZDVyLhSZY',
      amount_money: { amount: 500, currency: 'USD' },
    },
    { outcome: 'refunded' },
  ],
};

const content = (schema: object, example: object) => ({ [JSON_TYPE]: { schema: withDescriptions(schema), example } });

const REFUSALS = {
  401: { description: 'The signature is missing, wrong, or older than five minutes. Nothing was done.' },
};

function describeCall(action: Action): object {
  const [request, answer] = EXAMPLES[action];
  return {
    post: {
      operationId: action,
      summary: SUMMARIES[action],
      requestBody: { required: true, content: content(REQUESTS[action], request) },
      responses: {
        200: {
          description: 'The outcome. It is final: a call with the same key always gets the same response.',
          content: content(ANSWERS[action], answer),
        },
        202: { description: 'The call is in progress. The server looks it up by its key.' },
        400: { description: 'The body is not valid. Nothing was done.' },
        ...REFUSALS,
        422: { description: 'The key belongs to a call with another body. Nothing was done.' },
      },
    },
  };
}

const A_PAYMENT = { merchant_id: '7WQ0KXC8ZSD90', payment_id: 'bP9mAsEMYPUGjjGNaNO5ZDVyLhSZY' };

const RECORD_PAGE_EXAMPLE = {
  records: [
    {
      type: 'payment',
      id: 'ch_3NirD82eZvKYlo2C1kQ7aGzD',
      key: EXAMPLES.authorize[0].key,
      ...A_PAYMENT,
      created_at: '2026-11-16T10:31:07.412Z',
      state: 'captured',
      amount_money: { amount: 1290, currency: 'USD' },
      fee: 67,
    },
    {
      type: 'refund',
      id: 're_3NirD82eZvKYlo2C1pDmx8Pm',
      key: EXAMPLES.refund[0].key,
      ...A_PAYMENT,
      created_at: '2026-11-16T14:02:51.090Z',
      state: 'refunded',
      amount_money: { amount: 500, currency: 'USD' },
    },
  ],
  cursor: 'eyJhZnRlciI6MTAwfQ',
};

const inQuery = (name: string, description: string, schema: object, example: string) => ({
  name,
  in: 'query',
  description,
  schema,
  example,
});
const time = Type.String({ format: 'date-time' });
const id = Type.String();

const LIST_RECORDS = {
  get: {
    operationId: 'listRecords',
    summary: 'Lists payments and refunds as they are now, for `tillhouse reconcile`. Optional.',
    description:
      'Either `begin_time` and `end_time` are given: the records that were made at or after the first and before the second. Or `merchant_id` ' +
      'and `payment_id`: all records of one payment. A page has at most a thousand records.',
    parameters: [
      inQuery('begin_time', 'The earliest time.', time, '2026-11-16T00:00:00.000Z'),
      inQuery('end_time', 'The time before which records were made.', time, '2026-11-17T00:00:00.000Z'),
      inQuery('merchant_id', 'The merchant of the payment.', id, A_PAYMENT.merchant_id),
      inQuery('payment_id', 'The payment.', id, A_PAYMENT.payment_id),
      inQuery(
        'cursor',
        'The `cursor` of the previous page. Send the other parameters unchanged.',
        id,
        RECORD_PAGE_EXAMPLE.cursor,
      ),
    ],
    responses: {
      200: {
        description: 'A page of records. Each record is on one page only.',
        content: content(RecordPage, RECORD_PAGE_EXAMPLE),
      },
      400: { description: 'The parameters are not valid.' },
      ...REFUSALS,
      404: { description: 'The adapter lists no records.' },
    },
  },
};

export function describeAdapterApi(version: string): object {
  const paths = Object.fromEntries(ACTIONS.map((action) => [`/${action}`, describeCall(action)]));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tillhouse processor adapter',
      version,
      description: 'What a program implements that connects Tillhouse with a card processor. Tillhouse is the client.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: 'https://adapter.example', description: 'The value of --processor.' }],
    security: [{ signature: [] }],
    paths: {
      ...paths,
      '/calls/{key}': {
        get: {
          operationId: 'lookUp',
          summary: 'Shows the outcome of a call.',
          parameters: [
            {
              name: 'key',
              in: 'path',
              required: true,
              description: 'The key of the call.',
              schema: { type: 'string' },
              example: KEY_OF_VOID,
            },
          ],
          responses: {
            200: {
              description: 'The response to the call, even if it never arrived.',
              content: content({ anyOf: ACTIONS.map((action) => ANSWERS[action]) }, EXAMPLES.void[1]),
            },
            202: { description: 'The call is in progress.' },
            404: { description: 'There is no such call, so nothing was done. The server makes the call again.' },
            ...REFUSALS,
          },
        },
      },
      [RECORDS_PATH]: LIST_RECORDS,
    },
    components: {
      securitySchemes: {
        signature: {
          type: 'apiKey',
          in: 'header',
          name: SIGNATURE_HEADER,
          description:
            '`t=SECONDS,v1=HEX`: the time, and the HMAC-SHA256 of `SECONDS.METHOD.PATH.BODY` with the shared secret. While the secret is ' +
            'replaced, the adapter accepts the old one and the new one.',
        },
      },
    },
  };
}
