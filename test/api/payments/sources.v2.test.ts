import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  approve,
  expectBooksInOrder,
  expectRefusal,
  getPayment,
  HALF_EMPTY_GIFT_CARD,
  type Json,
  movementsOf,
  pay,
  paymentBody,
  tryToPay,
  usd,
} from '../../support/payments.js';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

let server: TestServer;
let merchant: TestMerchant;

beforeAll(async () => {
  server = await startTestServer();
  merchant = await server.createMerchant();
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

const tryTo = (change: Json) => tryToPay(server, merchant, change);
const post = (body: unknown) => server.call('POST', '/v2/payments', { token: merchant.token, body });

async function listedIds(): Promise<string[]> {
  const { body } = await server.call('GET', '/v2/payments', { token: merchant.token });
  return body.payments.map(({ id }: { id: string }) => id);
}

/** The tables that contain a text in any column. */
async function tablesWith(text: string): Promise<string[]> {
  const { sql } = server.database;
  const tables = await sql<{ name: string }[]>`
    select table_name as name from information_schema.tables where table_schema = 'public' order by 1`;
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await sql.unsafe(`select 1 from ${name} t where t::text like '%' || $1 || '%' limit 1`, [text]);
    if (rows.length > 0) found.push(name);
  }
  return found;
}

/** Contract 16.6: the declines, by nonce and by card on file. */
const DECLINES: readonly [source: string, code: string, status: number, card: Json][] = [
  ['cnon:card-nonce-rejected-cvv', 'CVV_FAILURE', 400, { card_brand: 'VISA' }],
  ['ccof:customer-card-id-rejected-cvv', 'CVV_FAILURE', 400, { card_brand: 'VISA' }],
  ['cnon:card-nonce-rejected-postalcode', 'ADDRESS_VERIFICATION_FAILURE', 400, { card_brand: 'VISA' }],
  ['ccof:customer-card-id-rejected-postalcode', 'ADDRESS_VERIFICATION_FAILURE', 400, { card_brand: 'VISA' }],
  ['cnon:card-nonce-rejected-expiration', 'INVALID_EXPIRATION', 400, { card_brand: 'VISA' }],
  ['ccof:customer-card-id-rejected-expiration', 'INVALID_EXPIRATION', 400, { card_brand: 'VISA' }],
  ['cnon:card-nonce-declined', 'GENERIC_DECLINE', 400, { card_brand: 'VISA', last_4: '0002', bin: '400000' }],
  ['ccof:customer-card-id-declined', 'GENERIC_DECLINE', 400, { card_brand: 'VISA' }],
  [
    'ccof:customer-card-id-requires-verification',
    'CARD_DECLINED_VERIFICATION_REQUIRED',
    402,
    { id: 'ccof:customer-card-id-requires-verification' },
  ],
  ['cnon:gift-card-nonce-insufficient-permission', 'INSUFFICIENT_PERMISSIONS', 400, { card_brand: 'SQUARE_GIFT_CARD' }],
];

describe('v2.createPayment', () => {
  it.each(DECLINES)(
    'returns %s with %s, stores the FAILED payment, and returns it again for its key (contract 16.6)',
    async (source_id, code, status, card) => {
      const body = paymentBody({ source_id, customer_id: 'C1', reference_id: 'R1' });
      const answer = await post(body);
      const errors = [{ category: 'PAYMENT_METHOD_ERROR', code, detail: `Authorization error: '${code}'` }];
      expect(answer.status).toBe(status);
      expect(answer.body).toEqual({ errors, payment: expect.anything() });
      const { payment } = answer.body;
      expect(payment).toMatchObject({
        status: 'FAILED',
        amount_money: usd(1000),
        total_money: usd(1000),
        reference_id: 'R1',
        card_details: { status: 'FAILED', errors, card },
      });
      expect(payment.card_details).not.toHaveProperty('auth_result_code');
      for (const field of ['receipt_number', 'receipt_url', 'processing_fee']) {
        expect(payment).not.toHaveProperty(field);
      }

      expect(await getPayment(server, merchant, payment.id)).toEqual(payment);
      expect((await listedIds())[0]).toBe(payment.id);
      expect(await movementsOf(server, payment.id)).toEqual([]);

      const again = await post(body);
      expect([again.status, again.body]).toEqual([status, answer.body]);
      expect((await listedIds()).filter((id) => id === payment.id)).toHaveLength(1);
      const withValidSource = await post({ ...body, source_id: 'cnon:card-nonce-ok' });
      expectRefusal(withValidSource, { code: 'IDEMPOTENCY_KEY_REUSED', field: 'idempotency_key' });
    },
  );

  it.each(['cnon:card-nonce-rejected-cvv', 'cnon:test-visa-declined-insufficient-funds', 'cnon:card-nonce-declined'])(
    'shows of the card of a FAILED payment only what live data has: %s (decision 0024)',
    async (source_id) => {
      const { payment } = (await tryTo({ source_id, statement_description_identifier: 'A17' })).body;
      const { card_details } = await getPayment(server, merchant, payment.id);
      expect(Object.keys(card_details).sort()).toEqual(['card', 'entry_method', 'errors', 'status']);
      const shown = ['bin', 'card_brand', 'exp_month', 'exp_year', 'fingerprint', 'last_4'];
      expect(Object.keys(payment.card_details.card).sort()).toEqual(shown);
      expect(payment.card_details).toEqual(card_details);
      expect((await server.call('GET', '/v2/payments', { token: merchant.token })).body.payments).toContainEqual(
        payment,
      );
    },
  );

  it('declines with autocomplete false in the same way', async () => {
    const answer = await tryTo({ source_id: 'cnon:card-nonce-declined', autocomplete: false });
    expect(answer.body).toMatchObject({ errors: [{ code: 'GENERIC_DECLINE' }], payment: { status: 'FAILED' } });
  });

  it('charges a card that requires verification if a verification_token is sent', async () => {
    const source_id = 'ccof:customer-card-id-requires-verification';
    const change = { source_id, customer_id: 'C1', verification_token: 'verf:x' };
    expect(await pay(server, merchant, change)).toMatchObject({
      status: 'COMPLETED',
      card_details: { status: 'CAPTURED', card: { id: source_id } },
    });
  });

  it('refuses a used nonce as an invalid request, and stores nothing', async () => {
    const before = await listedIds();
    const idempotency_key = 'used-nonce';
    const answer = await tryTo({ source_id: 'cnon:card-nonce-already-used', idempotency_key });
    expectRefusal(answer, { code: 'CARD_TOKEN_USED', field: 'source_id' });
    expect(await listedIds()).toEqual(before);
    expect(await pay(server, merchant, { idempotency_key })).toMatchObject({ status: 'COMPLETED' });
  });

  it.each(['cnon:never-issued', 'ccof:nobody'])('returns 404 for the unknown source %s', async (source_id) => {
    const answer = await tryTo({ source_id, customer_id: 'C1' });
    expectRefusal(answer, { status: 404, code: 'NOT_FOUND', field: 'source_id' });
  });

  it.each(['card-nonce-ok', 'CNON:card-nonce-ok', 'cnon:', 'CASH', 'fake-card-nonce-ok', ' cnon:card-nonce-ok'])(
    'refuses %j, which is not a source, and lists the valid forms',
    async (source_id) => {
      const answer = await tryTo({ source_id });
      expectRefusal(answer, { code: 'INVALID_VALUE', field: 'source_id', says: ['cnon:', 'ccof:'] });
    },
  );

  it('refuses an empty source', async () => {
    expectRefusal(await tryTo({ source_id: '' }), { code: 'VALUE_EMPTY', field: 'source_id' });
  });

  it.each(['4111111111111111', '4111 1111 1111 1111', '3400-000000-00009', 'cnon:4111111111111111'])(
    'refuses the card number %s, says what to send instead, and neither echoes nor stores it',
    async (source_id) => {
      const answer = await tryTo({ source_id });
      const says = ['Never send a card number', 'cnon:', 'ccof:'];
      expectRefusal(answer, { code: 'INVALID_VALUE', field: 'source_id', says });
      const number = source_id.replace('cnon:', '');
      expect(answer.text).not.toContain(number);
      expect(JSON.stringify(answer.rawHeaders)).not.toContain(number);
      expect(await tablesWith(number)).toEqual([]);
    },
  );

  it('does not store a card number even if the processor is called after the intent is recorded', async () => {
    const careful = await server.createMerchant();
    const rules = `/api/sandbox/merchants/${careful.id}/processor-rules`;
    expect((await server.operator('POST', rules, { effect: 'TIME_OUT', times: 10 })).status).toBe(200);
    expect((await tryToPay(server, careful, { note: 'a needle' })).status).toBe(503);
    expect(await tablesWith('a needle')).toEqual(['payments']);
    expect(await tablesWith('cnon:card-nonce-ok')).toEqual(['processor_calls']);
    for (const source_id of ['4222222222222220', 'cnon:4222222222222220', '4222.2222.2222.2220']) {
      expectRefusal(await tryToPay(server, careful, { source_id }), { code: 'INVALID_VALUE', field: 'source_id' });
      expect(await tablesWith(source_id)).toEqual([]);
    }
    await server.operator('DELETE', rules);
  });
});

describe('v2.createPayment with gift cards', () => {
  const source_id = HALF_EMPTY_GIFT_CARD;
  const SHORT = [
    {
      category: 'PAYMENT_METHOD_ERROR',
      code: 'INSUFFICIENT_FUNDS',
      detail: "Authorization error: 'INSUFFICIENT_FUNDS'",
    },
    { category: 'PAYMENT_METHOD_ERROR', code: 'GIFT_CARD_AVAILABLE_AMOUNT', detail: '500' },
  ];

  it('charges a card with a sufficient balance', async () => {
    expect(await pay(server, merchant, { source_id: 'cnon:gift-card-nonce-ok' })).toMatchObject({
      status: 'COMPLETED',
      source_type: 'CARD',
      card_details: { card: { card_brand: 'SQUARE_GIFT_CARD', prepaid_type: 'PREPAID' } },
    });
  });

  it('declines a card with too low a balance, and returns the balance in digits', async () => {
    const answer = await tryTo({ source_id });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      errors: SHORT,
      payment: { status: 'FAILED', amount_money: usd(1000), card_details: { errors: SHORT } },
    });
    expect((await tryTo({ source_id, autocomplete: false })).body.errors).toEqual(SHORT);
  });

  it('approves the available balance if a partial authorization is accepted, and captures and counts only that', async () => {
    const body = paymentBody({ source_id, autocomplete: false, accept_partial_authorization: true });
    const { payment } = (await post(body)).body;
    expect(payment).toMatchObject({ status: 'APPROVED', amount_money: usd(500), total_money: usd(500) });
    expect((await post(body)).body.payment).toEqual(payment);
    const { token } = merchant;
    const completed = await server.call('POST', `/v2/payments/${payment.id}/complete`, { token });
    expect(completed.body.payment).toMatchObject({ status: 'COMPLETED', total_money: usd(500) });
    expect(await getPayment(server, merchant, payment.id)).toMatchObject({
      processing_fee: [{ amount_money: usd(45) }],
    });
    expect(await movementsOf(server, payment.id)).toMatchObject([{ kind: 'CHARGE', amount: 500, fee: -45 }]);
  });

  it.each([
    ['a tip', { tip_money: usd(150) }, '575'],
    ['a tip of zero', { tip_money: usd(0) }, '500'],
    ['an application fee', { app_fee_money: usd(100) }, '500'],
  ])('declines a partial authorization together with %s', async (_, change, balance) => {
    const answer = await tryTo({ source_id, autocomplete: false, accept_partial_authorization: true, ...change });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toMatchObject([{ code: 'INSUFFICIENT_FUNDS' }, { detail: balance }]);
    expect(answer.body.payment).toMatchObject({ status: 'FAILED', amount_money: usd(1000) });
  });

  it('approves the full amount of any other card, also if a partial authorization is accepted', async () => {
    for (const other of ['cnon:card-nonce-ok', 'cnon:gift-card-nonce-ok']) {
      const payment = await approve(server, merchant, { source_id: other, accept_partial_authorization: true });
      expect(payment).toMatchObject({ status: 'APPROVED', amount_money: usd(1000) });
    }
  });

  it('declines an empty card', async () => {
    const change = { source_id, autocomplete: false, accept_partial_authorization: true, amount_money: usd(1) };
    expect((await tryTo(change)).body.errors).toMatchObject([{ code: 'INSUFFICIENT_FUNDS' }, { detail: '0' }]);
  });
});
