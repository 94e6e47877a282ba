/** The 2020 client with all nine operations on payments and refunds, against a listening server. */
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { advance, expectBooksInOrder, type Json, later, usd } from '../support/payments.js';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';

type Model = Record<string, unknown> & { readonly id: string; readonly status: string };
type Options = Readonly<Record<string, string | number>>;

interface PaymentsApi {
  createPayment(body: Json): Promise<{ payment: Model }>;
  createPaymentWithHttpInfo(body: Json): Promise<{ response: { headers: Record<string, string> } }>;
  getPayment(id: string): Promise<{ payment: Model }>;
  listPayments(options?: Options): Promise<{ payments: Model[]; cursor?: string }>;
  completePayment(id: string, body: Json): Promise<{ payment: Model }>;
  cancelPayment(id: string): Promise<{ payment: Model }>;
  cancelPaymentByIdempotencyKey(body: Json): Promise<Json>;
}

interface RefundsApi {
  refundPayment(body: Json): Promise<{ refund: Model }>;
  getPaymentRefund(id: string): Promise<{ refund: Model }>;
  listPaymentRefunds(options?: Options): Promise<{ refunds: Model[]; cursor?: string }>;
}

interface ApiClient {
  basePath: string;
  authentications: { oauth2: { accessToken?: string } };
}

/** The client has no types; this is the part that is used here. A model's prototype has a key for each of its fields. */
type Package = {
  readonly ApiClient: new () => ApiClient;
  readonly PaymentsApi: new (client: ApiClient) => PaymentsApi;
  readonly RefundsApi: new (client: ApiClient) => RefundsApi;
} & Readonly<
  Record<
    'Payment' | 'CardPaymentDetails' | 'Card' | 'ProcessingFee' | 'Money' | 'PaymentRefund' | 'CreatePaymentRequest',
    { readonly prototype: object }
  >
>;

const SquareConnect: Package = createRequire(import.meta.url)('square-connect');

const START = '2020-02-26T10:15:30.154Z';

let server: TestServer;
let merchant: TestMerchant;
let payments: PaymentsApi;
let refunds: RefundsApi;

beforeAll(async () => {
  server = await startTestServer();
  merchant = await server.createMerchant({
    locations: [{ name: 'One' }, { name: 'Two' }],
    clock: { now: START, frozen: true },
  });
  ({ payments, refunds } = apisFor(merchant.token));
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

function apisFor(token: string): { payments: PaymentsApi; refunds: RefundsApi } {
  const client = new SquareConnect.ApiClient();
  client.basePath = server.baseUrl;
  client.authentications.oauth2.accessToken = token;
  return { payments: new SquareConnect.PaymentsApi(client), refunds: new SquareConnect.RefundsApi(client) };
}

const plain = (model: unknown): unknown => JSON.parse(JSON.stringify(model));
const fieldsOf = (name: 'Payment' | 'CardPaymentDetails' | 'Card' | 'ProcessingFee' | 'Money' | 'PaymentRefund') =>
  Object.keys(SquareConnect[name].prototype);
const idsOf = (models: readonly Model[]) => models.map(({ id }) => id);
const body = (change: Json = {}): Json => ({
  idempotency_key: randomUUID(),
  source_id: 'cnon:card-nonce-ok',
  amount_money: usd(1000),
  ...change,
});

/** What the client rejects with: superagent's error, which has the status and the parsed body. */
async function refusalOf(call: Promise<unknown>): Promise<{ status: number; body: unknown }> {
  try {
    await call;
  } catch (error) {
    const { status, response } = error as { status: number; response: { body: unknown } };
    return { status, body: response.body };
  }
  throw new Error('the call was not refused');
}

const ADDRESS = { address_line_1: '1 Main St', locality: 'Oakland', country: 'US', postal_code: '94601' };

const EVERYTHING = {
  source_id: 'ccof:customer-card-id-requires-verification',
  idempotency_key: 'everything',
  amount_money: usd(1000),
  tip_money: usd(150),
  app_fee_money: usd(100),
  autocomplete: false,
  order_id: 'order-17',
  customer_id: 'CUSTOMER-1',
  reference_id: 'A-17',
  verification_token: 'verf:x',
  accept_partial_authorization: false,
  buyer_email_address: 'buyer@example.com',
  billing_address: ADDRESS,
  shipping_address: { ...ADDRESS, first_name: 'Ana' },
  note: 'two coffees',
  statement_description_identifier: 'COFFEE',
};

/** Model fields that no payment through the API has, and why. */
const ABSENT: Readonly<Record<string, readonly string[]>> = {
  Payment: ['employee_id'], // only for payments at a register
  CardPaymentDetails: [
    ...['application_identifier', 'application_name', 'application_cryptogram'], // only for chip cards
    ...['verification_method', 'verification_results'], // only for chip cards
    'device_details', // only for payments at a register
  ],
  Card: ['cardholder_name', 'billing_address'], // there is no tokeniser that would know them (decision 0032)
};

function expectFields(name: 'Payment' | 'CardPaymentDetails' | 'Card', models: readonly unknown[]): void {
  const seen = new Set(models.flatMap((model) => Object.keys(plain(model) as object)));
  const expected = fieldsOf(name).filter((field) => !ABSENT[name]?.includes(field));
  expect([...seen].toSorted()).toEqual(expected.toSorted());
}

describe('PaymentsApi', () => {
  it('has every field of the request in the tests below, except one that was added a release later', () => {
    const fields = { ...EVERYTHING, location_id: '', delay_duration: '' };
    expect(Object.keys(fields).toSorted()).toEqual(
      Object.keys(SquareConnect.CreatePaymentRequest.prototype).toSorted(),
    );
  });

  it('creates, completes, gets and refunds a payment, with every applicable field of the models', async () => {
    const [, location_id = ''] = merchant.locationIds;
    const { payment: approved } = await payments.createPayment({ ...EVERYTHING, location_id });
    const { source_id, idempotency_key, autocomplete, verification_token, accept_partial_authorization, ...echoed } =
      EVERYTHING;
    expect(plain(approved)).toMatchObject({
      ...echoed,
      location_id,
      status: 'APPROVED',
      total_money: usd(1150),
      created_at: START,
      source_type: 'CARD',
      card_details: { status: 'AUTHORIZED', entry_method: 'ON_FILE', card: { id: source_id, last_4: '5858' } },
    });

    const { payment: completed } = await payments.completePayment(approved.id, {});
    expect(plain(completed)).toMatchObject({ ...echoed, status: 'COMPLETED', card_details: { status: 'CAPTURED' } });

    const given = { payment_id: approved.id, amount_money: usd(115), app_fee_money: usd(5), reason: 'spilled' };
    const { refund } = await refunds.refundPayment({ ...given, idempotency_key: 'r' });
    expect(plain(refund)).toMatchObject({ ...given, status: 'PENDING', location_id, created_at: START });

    const { payment } = await payments.getPayment(approved.id);
    expect(plain(payment)).toMatchObject({
      refunded_money: usd(115),
      refund_ids: [refund.id],
      processing_fee: [{ effective_at: '2020-02-26T12:15:30.000Z', type: 'INITIAL', amount_money: usd(63) }],
    });
    const declined = await refusalOf(payments.createPayment(body({ source_id: 'cnon:card-nonce-declined' })));
    const { payment: failed } = declined.body as { payment: Model };
    const details = [payment, failed].map(({ card_details }) => card_details as { card: Json });
    expectFields('Payment', [payment]);
    expectFields('CardPaymentDetails', details);
    expectFields(
      'Card',
      details.map(({ card }) => card),
    );
    const [fee] = payment['processing_fee'] as [Json];
    expect(Object.keys(fee)).toEqual(expect.arrayContaining(fieldsOf('ProcessingFee')));
    expect(Object.keys(payment['amount_money'] as object).toSorted()).toEqual(fieldsOf('Money').toSorted());

    await advance(server, merchant, 'PT10S');
    const { refund: done } = await refunds.getPaymentRefund(refund.id);
    expect(Object.keys(plain(done) as object).toSorted()).toEqual(fieldsOf('PaymentRefund').toSorted());
    expect(plain(done)).toMatchObject({
      ...given,
      status: 'COMPLETED',
      processing_fee: [{ type: 'INITIAL', amount_money: usd(-6) }],
    });
  });

  it('returns the same payment for a used key, and marks it with a header', async () => {
    const request = body();
    const { payment } = await payments.createPayment(request);
    expect((await payments.createPayment(request)).payment).toEqual(payment);
    const { response } = await payments.createPaymentWithHttpInfo(request);
    expect(response.headers['idempotency-replayed']).toBe('true');
  });

  it('cancels a payment, by its id and by its key', async () => {
    const [one, two] = [body({ autocomplete: false }), body()];
    const { payment } = await payments.createPayment(one);
    expect((await payments.cancelPayment(payment.id)).payment).toMatchObject({ id: payment.id, status: 'CANCELED' });

    const { payment: charged } = await payments.createPayment(two);
    const { idempotency_key } = two;
    expect(plain(await payments.cancelPaymentByIdempotencyKey({ idempotency_key }))).toEqual({});
    expect((await payments.getPayment(charged.id)).payment.status).toBe('CANCELED');
    expect((await payments.createPayment(two)).payment.id).not.toBe(charged.id);
    expect(plain(await payments.cancelPaymentByIdempotencyKey({ idempotency_key: 'never-used' }))).toEqual({});
  });

  it('lists by every filter, and pages by the cursor to the end', async () => {
    const own = await server.createMerchant({
      locations: [{ name: 'One' }, { name: 'Two' }],
      clock: { now: START, frozen: true },
    });
    const api = apisFor(own.token).payments;
    const [locationId = '', second = ''] = own.locationIds;
    const made = [(await api.createPayment(body())).payment.id];
    await advance(server, own, 'PT1H');
    const source_id = 'cnon:gift-card-nonce-ok';
    made.push((await api.createPayment(body({ location_id: second, source_id, amount_money: usd(77) }))).payment.id);
    const [older, newer] = made;
    const found = async (options: Options) => idsOf((await api.listPayments(options)).payments);
    const at = later(START, 3_600_000);
    expect(await found({})).toEqual([newer, older]);
    expect(await found({ sortOrder: 'ASC' })).toEqual([older, newer]);
    for (const options of [
      { locationId },
      { total: 1000 },
      { last4: '5858' },
      { cardBrand: 'VISA' },
      { endTime: at },
    ]) {
      expect(await found(options), JSON.stringify(options)).toEqual([older]);
    }
    for (const options of [
      { locationId: second },
      { total: 77 },
      { last4: '0000' },
      { cardBrand: 'SQUARE_GIFT_CARD' },
      { beginTime: at },
    ]) {
      expect(await found(options), JSON.stringify(options)).toEqual([newer]);
    }

    const many = apisFor((await server.createMerchant()).token).payments;
    const all = await Promise.all(Array.from({ length: 103 }, () => many.createPayment(body())));
    const first = await many.listPayments({ sortOrder: 'ASC' });
    const last = await many.listPayments({ sortOrder: 'ASC', cursor: first.cursor ?? '' });
    expect([first.payments.length, last.payments.length, last.cursor]).toEqual([100, 3, undefined]);
    const seen = new Set(idsOf([...first.payments, ...last.payments]));
    expect(seen).toEqual(new Set(all.map(({ payment }) => payment.id)));
  });
});

describe('RefundsApi', () => {
  it('lists by every filter, and pages by the cursor to the end', async () => {
    const own = await server.createMerchant({
      locations: [{ name: 'One' }, { name: 'Two' }],
      clock: { now: START, frozen: true },
    });
    const apis = apisFor(own.token);
    const [locationId = '', second = ''] = own.locationIds;
    const give = async (location_id: string) => {
      const { payment } = await apis.payments.createPayment(body({ location_id }));
      const request = { idempotency_key: randomUUID(), payment_id: payment.id, amount_money: usd(1000) };
      return (await apis.refunds.refundPayment(request)).refund.id;
    };
    const older = await give(locationId);
    await advance(server, own, 'PT1H');
    const newer = await give(second);
    const at = later(START, 3_600_000);
    const found = async (options: Options) => idsOf((await apis.refunds.listPaymentRefunds(options)).refunds);
    expect(await found({ sourceType: 'CARD' })).toEqual([newer, older]);
    expect(await found({ sortOrder: 'ASC' })).toEqual([older, newer]);
    for (const options of [{ locationId }, { status: 'COMPLETED' }, { endTime: at }]) {
      expect(await found(options), JSON.stringify(options)).toEqual([older]);
    }
    for (const options of [{ locationId: second }, { status: 'PENDING' }, { beginTime: at }]) {
      expect(await found(options), JSON.stringify(options)).toEqual([newer]);
    }

    const many = apisFor((await server.createMerchant()).token);
    const given: string[] = [];
    for (let count = 0; count < 6; count++) {
      const { payment } = await many.payments.createPayment(body());
      for (let part = 0; part < 17; part++) {
        const request = { idempotency_key: randomUUID(), payment_id: payment.id, amount_money: usd(1) };
        given.push((await many.refunds.refundPayment(request)).refund.id);
      }
    }
    const first = await many.refunds.listPaymentRefunds();
    const last = await many.refunds.listPaymentRefunds({ cursor: first.cursor ?? '' });
    expect([first.refunds.length, last.refunds.length, last.cursor]).toEqual([100, 2, undefined]);
    expect(new Set(idsOf([...first.refunds, ...last.refunds]))).toEqual(new Set(given));
  });
});

describe('refusals', () => {
  it('have a status and a list of errors', async () => {
    const unknown = (id: string) => ({
      status: 404,
      body: { errors: [{ category: 'INVALID_REQUEST_ERROR', code: 'NOT_FOUND', detail: expect.stringContaining(id) }] },
    });
    expect(await refusalOf(payments.getPayment('a/b'))).toEqual(unknown('a/b'));
    expect(await refusalOf(payments.completePayment('none', {}))).toEqual(unknown('none'));
    expect(await refusalOf(payments.cancelPayment('none'))).toEqual(unknown('none'));
    expect(await refusalOf(refunds.getPaymentRefund('none'))).toEqual(unknown('none'));
    const missing = { code: 'MISSING_REQUIRED_PARAMETER', field: 'source_id' };
    expect(await refusalOf(payments.createPayment(body({ source_id: undefined })))).toMatchObject({
      status: 400,
      body: { errors: [missing] },
    });
    expect(await refusalOf(payments.listPayments({ cursor: 'forged' }))).toMatchObject({
      status: 400,
      body: { errors: [{ code: 'INVALID_CURSOR', field: 'cursor' }] },
    });
    const { payment } = await payments.createPayment(body());
    const tooMuch = { idempotency_key: 'x', payment_id: payment.id, amount_money: usd(1001) };
    expect(await refusalOf(refunds.refundPayment(tooMuch))).toMatchObject({
      status: 400,
      body: { errors: [{ category: 'REFUND_ERROR', code: 'REFUND_AMOUNT_INVALID', field: 'amount_money.amount' }] },
    });
    expect(await refusalOf(payments.completePayment(payment.id, {}))).toMatchObject({
      status: 400,
      body: { errors: [{ code: 'BAD_REQUEST', detail: expect.stringContaining('COMPLETED') }] },
    });
    expect(await refusalOf(apisFor('EAAAnobody').payments.listPayments())).toMatchObject({
      status: 401,
      body: { errors: [{ category: 'AUTHENTICATION_ERROR', code: 'UNAUTHORIZED' }] },
    });
  });

  it('of a declined card include the failed payment', async () => {
    const error = { category: 'PAYMENT_METHOD_ERROR', code: 'CVV_FAILURE' };
    expect(await refusalOf(payments.createPayment(body({ source_id: 'cnon:card-nonce-rejected-cvv' })))).toMatchObject({
      status: 400,
      body: { errors: [error], payment: { status: 'FAILED', card_details: { status: 'FAILED', errors: [error] } } },
    });
  });
});
