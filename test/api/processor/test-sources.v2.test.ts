/** Every card type and every decline that a sandbox offers, by a test source and by a processor rule (decision 0032). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DECLINE_CODES, Refusal } from '../../../src/base/errors.js';
import { wordsOf } from '../../contract/client-models.js';
import type { ApiResponse } from '../../support/http.js';
import {
  approve,
  expectBooksInOrder,
  expectRefusal,
  getPayment,
  type Json,
  pay,
  tryToPay,
  usd,
} from '../../support/payments.js';
import { card, item } from '../../support/register-sales.js';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

let server: TestServer;
let merchant: TestMerchant;
/** Some tests add a processor rule to this merchant. */
let ruled: TestMerchant;

beforeAll(async () => {
  server = await startTestServer();
  [merchant, ruled] = [await server.createMerchant(), await server.createMerchant()];
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

const word = (name: string) => name.toLowerCase().replaceAll('_', '-');
const addRule = (rule: Json) => server.operator('POST', `/api/sandbox/merchants/${ruled.id}/processor-rules`, rule);

async function payByRule(rule: Json): Promise<ApiResponse> {
  const added = await addRule(rule);
  expect(added.status, added.text).toBe(200);
  expect(added.body.rule).toMatchObject(rule);
  return tryToPay(server, ruled);
}

/** The values of the published client: the properties of a card. */
const BRANDS = wordsOf('Card', 'card_brand') ?? [];
const KINDS: readonly [source: string, details: Json][] = [
  ...BRANDS.map((brand): [string, Json] => [`cnon:test-${word(brand)}`, { card: { card_brand: brand } }]),
  ['cnon:test-visa-credit', { card: { card_type: 'CREDIT', prepaid_type: 'NOT_PREPAID' } }],
  ['cnon:test-visa-debit', { card: { card_type: 'DEBIT', prepaid_type: 'NOT_PREPAID' } }],
  ['cnon:test-mastercard-prepaid', { card: { card_type: 'CREDIT', prepaid_type: 'PREPAID' } }],
  ['cnon:test-jcb-debit-prepaid', { card: { card_brand: 'JCB', card_type: 'DEBIT', prepaid_type: 'PREPAID' } }],
  ...['KEYED', 'SWIPED', 'EMV', 'CONTACTLESS'].map((entry_method): [string, Json] => [
    `cnon:test-visa-${word(entry_method)}`,
    { entry_method },
  ]),
  ['ccof:test-american-express', { entry_method: 'ON_FILE', card: { id: 'ccof:test-american-express' } }],
];

describe('a test source', () => {
  it.each(KINDS)(
    '%s is charged as the named card, and a rule makes any other card behave as that one',
    async (...row) => {
      const [source_id, expected] = row;
      expect(BRANDS.length).toBe(10);
      const made = await pay(server, merchant, { source_id, customer_id: 'C1' });
      expect(made).toMatchObject({ status: 'COMPLETED', card_details: { status: 'CAPTURED', ...expected } });
      const byRule = await payByRule({ effect: 'SOURCE', source_id });
      expect(byRule.body.payment).toMatchObject({ status: 'COMPLETED', card_details: expected });
      expect((await pay(server, ruled)).card_details).toMatchObject({ card: { card_brand: 'VISA', last_4: '5858' } });
    },
  );

  it.each(DECLINE_CODES)('that names %s is declined with it, and so is any card with a rule', async (code) => {
    const { status } = new Refusal(code).meaning;
    const errors = [{ category: 'PAYMENT_METHOD_ERROR', code, detail: `Authorization error: '${code}'` }];
    for (const answer of [
      await tryToPay(server, merchant, { source_id: `cnon:test-mastercard-declined-${word(code)}` }),
      await tryToPay(server, merchant, { source_id: `ccof:test-visa-declined-${word(code)}`, customer_id: 'C1' }),
      await payByRule({ effect: 'DECLINE', code }),
      await payByRule({ effect: 'SOURCE', source_id: `cnon:test-jcb-declined-${word(code)}` }),
    ]) {
      expect([answer.status, answer.body.errors]).toEqual([status, errors]);
      expect(answer.body.payment).toMatchObject({ status: 'FAILED', card_details: { status: 'FAILED', errors } });
    }
  });

  it('that names a verification is charged if the buyer was verified', async () => {
    const source_id = 'ccof:test-visa-declined-card-declined-verification-required';
    const change = { source_id, customer_id: 'C1', verification_token: 'verf:x' };
    expect(await pay(server, merchant, change)).toMatchObject({ status: 'COMPLETED' });
  });

  it.each(['cnon:test-maestro', 'cnon:test-visa-declined-because', 'ccof:test-visa-emv'])(
    'returns 404 for the unknown name %s, and no rule accepts it',
    async (source_id) => {
      const answer = await tryToPay(server, merchant, { source_id, customer_id: 'C1' });
      expectRefusal(answer, { status: 404, code: 'NOT_FOUND', field: 'source_id' });
      const says = ['cnon:test-'];
      expectRefusal(await addRule({ effect: 'SOURCE', source_id }), {
        code: 'INVALID_VALUE',
        field: 'source_id',
        says,
      });
      expectRefusal(await addRule({ effect: 'SOURCE' }), { code: 'MISSING_REQUIRED_PARAMETER', field: 'source_id' });
    },
  );
});

describe('a card-present payment (decision 0030)', () => {
  const feeOf = async (id: string) => (await getPayment(server, merchant, id)).processing_fee?.[0]?.amount_money;

  it.each([
    ['cnon:test-visa-emv', 36],
    ['cnon:test-visa-contactless', 36],
    ['cnon:test-visa-swiped', 36],
    ['cnon:test-visa-keyed', 59],
    ['cnon:test-visa', 59],
  ])('%s costs %i of 1000 through the API, captured immediately, later, or on a retry', async (source_id, fee) => {
    const { id } = await pay(server, merchant, { source_id });
    expect(await feeOf(id)).toEqual(usd(fee));
    const delayed = await approve(server, merchant, { source_id });
    await server.call('POST', `/v2/payments/${delayed.id}/complete`, { token: merchant.token });
    expect(await feeOf(delayed.id)).toEqual(usd(fee));
    const recorded = (await payByRule({ effect: 'SOURCE', source_id })).body.payment;
    expect(await getPayment(server, ruled, recorded.id)).toMatchObject({
      processing_fee: [{ amount_money: usd(fee) }],
    });
  });

  it.each([
    ['cnon:test-visa-emv', 'SWIPED'],
    ['cnon:test-visa', 'WEB_FORM'],
  ])('%s is %s in v1, which has no chip', async (source_id, entry_method) => {
    const { id, location_id } = await pay(server, merchant, { source_id });
    const { body } = await server.call('GET', `/v1/${location_id}/payments/${id}`, { token: merchant.token });
    expect(body.tender).toMatchObject([{ entry_method }]);
  });

  it.each([
    [{ source_id: 'cnon:test-visa-contactless' }, 'CONTACTLESS', 36],
    [{ source_id: 'cnon:test-mastercard-debit-emv' }, 'EMV', 36],
    [{ source_id: 'cnon:test-visa' }, 'SWIPED', 36],
    [{ source_id: 'cnon:test-visa-emv', entry_method: 'KEYED' }, 'KEYED', 50],
  ])('of a tender %j at a register was read as %s, and costs %i of 1000', async (change, entry_method, fee) => {
    const { body: opened } = await server.operator('POST', `/api/sandbox/merchants/${merchant.id}/registers`, {
      location_id: merchant.locationIds[0],
    });
    const { status, body, text } = await server.call('POST', '/api/register/sales', {
      token: opened.device_token,
      headers: { 'tillhouse-employee-session': opened.session },
      body: { id: crypto.randomUUID(), itemizations: [item(1000)], tenders: [card(undefined, change)] },
    });
    expect(status, text).toBe(200);
    const [tender] = body.sale.tenders;
    const payment = await getPayment(server, merchant, tender.id);
    expect(payment.card_details).toMatchObject({ entry_method });
    expect(payment.processing_fee).toMatchObject([{ amount_money: usd(fee) }]);
  });
});
