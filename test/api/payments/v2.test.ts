import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  expectBooksInOrder,
  expectRefusal,
  getPayment,
  type Json,
  later,
  pay,
  paymentBody,
  receiptUrlOf,
  tryToPay,
  usd,
} from '../../support/payments.js';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

let server: TestServer;
let merchant: TestMerchant;
let stranger: TestMerchant;

beforeAll(async () => {
  server = await startTestServer();
  merchant = await server.createMerchant({ locations: [{ name: 'One' }, { name: 'Two' }] });
  stranger = await server.createMerchant();
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

const MILLISECONDS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const tryTo = (change: Json) => tryToPay(server, merchant, change);

/** The body without the given field. */
function without(field: string): Json {
  const { [field]: _, ...rest } = paymentBody();
  return rest;
}

const post = (body: unknown) => server.call('POST', '/v2/payments', { token: merchant.token, body });

const ADDRESS = {
  address_line_1: '1 Main St',
  address_line_2: 'Floor 2',
  address_line_3: 'Door 3',
  locality: 'San Francisco',
  sublocality: 'Mission',
  sublocality_2: 'North',
  sublocality_3: 'Block 9',
  administrative_district_level_1: 'CA',
  administrative_district_level_2: 'SF County',
  administrative_district_level_3: 'D9',
  postal_code: '94103',
  country: 'US',
  first_name: 'Ana',
  last_name: 'Ruiz',
  organization: "Ana's Coffee",
};

const EVERYTHING = {
  source_id: 'ccof:customer-card-id-ok',
  amount_money: usd(1000),
  tip_money: usd(150),
  app_fee_money: usd(100),
  autocomplete: true,
  order_id: 'order-17',
  customer_id: 'CUSTOMER-1',
  reference_id: 'A-17',
  verification_token: 'verf:x',
  accept_partial_authorization: false,
  buyer_email_address: 'buyer@example.com',
  billing_address: ADDRESS,
  shipping_address: { ...ADDRESS, address_line_1: '2 Side St' },
  note: 'two coffees',
  statement_description_identifier: 'COFFEE',
};

describe('v2.createPayment', () => {
  it('returns a completed payment with every field that applies, and no other', async () => {
    const answer = await tryTo({});
    expect(answer.status).toBe(200);
    const { payment } = answer.body;
    expect(answer.body).toEqual({
      payment: {
        id: expect.stringMatching(/^[0-9A-Za-z]{27}$/),
        created_at: expect.stringMatching(MILLISECONDS),
        updated_at: payment.created_at,
        amount_money: usd(1000),
        total_money: usd(1000),
        approved_money: usd(1000),
        status: 'COMPLETED',
        delay_duration: 'PT168H',
        delay_action: 'CANCEL',
        delayed_until: later(payment.created_at, 168 * 3_600_000),
        source_type: 'CARD',
        card_details: {
          status: 'CAPTURED',
          card: {
            card_brand: 'VISA',
            last_4: '5858',
            exp_month: expect.any(Number),
            exp_year: expect.any(Number),
            fingerprint: expect.stringMatching(/^sq-1-/),
            card_type: 'CREDIT',
            prepaid_type: 'NOT_PREPAID',
            bin: '453275',
          },
          entry_method: 'KEYED',
          cvv_status: 'CVV_ACCEPTED',
          avs_status: 'AVS_ACCEPTED',
          auth_result_code: expect.stringMatching(/^[0-9A-Za-z]{6}$/),
          statement_description: 'SQ *SANDBOX BUSINESS',
          card_payment_timeline: { authorized_at: payment.created_at, captured_at: payment.created_at },
        },
        location_id: merchant.locationIds[0],
        order_id: expect.stringMatching(/^[0-9A-Za-z]{28}$/),
        application_details: { square_product: 'ECOMMERCE_API', application_id: expect.stringMatching(/^sq0idp-/) },
        version_token: expect.stringMatching(/^[\w-]{27}$/),
        receipt_number: payment.id.slice(-4),
        receipt_url: receiptUrlOf(server, merchant, payment.id),
      },
    });
    expect(Math.abs(Date.parse(payment.created_at) - Date.now())).toBeLessThan(60_000);
    expect(answer.headers).not.toHaveProperty('idempotency-replayed');
  });

  it('echoes all optional fields, and getPayment returns the same', async () => {
    const location_id = merchant.locationIds[1];
    const payment = await pay(server, merchant, { ...EVERYTHING, location_id });
    const { source_id, autocomplete, verification_token, accept_partial_authorization, ...echoed } = EVERYTHING;
    const expected = { ...echoed, location_id, total_money: usd(1150), status: 'COMPLETED' };
    expect(payment).toMatchObject(expected);
    expect(payment).toMatchObject({ card_details: { entry_method: 'ON_FILE', card: { id: source_id } } });
    const { processing_fee: _, ...shown } = await getPayment(server, merchant, payment.id);
    expect(shown).toEqual(payment);
  });

  it('returns the card statement text: the name of the business, shortened to fit its suffix', async () => {
    const own = await server.createMerchant({
      business_name: 'Straße & Söhne, Purveyors of Rye and Juniper Since 1887',
    });
    const payment = await pay(server, own, { statement_description_identifier: 'ORDER 17', autocomplete: false });
    const statement_description = 'SQ *STRASSE & SÖHNE, PURVEYORS OF RYE AND ORDER 17';
    expect(payment).toMatchObject({ card_details: { statement_description } });
    expect(await getPayment(server, own, payment.id)).toMatchObject({ card_details: { statement_description } });
  });

  it('ignores unknown fields, and treats null as absent', async () => {
    const payment = await pay(server, merchant, {
      id: 'mine',
      colour: { deep: ['red'] },
      tip_money: null,
      app_fee_money: null,
      location_id: null,
      note: null,
      autocomplete: null,
      amount_money: { ...usd(700), colour: 'red' },
    });
    expect(payment).toMatchObject({ status: 'COMPLETED', amount_money: usd(700), total_money: usd(700) });
    expect(payment.id).not.toBe('mine');
    for (const field of ['colour', 'tip_money', 'app_fee_money', 'note']) expect(payment).not.toHaveProperty(field);
  });

  it('treats empty optional text as absent, as from a blank form field', async () => {
    const blank = ['order_id', 'customer_id', 'reference_id', 'note', 'buyer_email_address'];
    const payment = await pay(server, merchant, {
      ...Object.fromEntries(blank.map((field) => [field, ''])),
      shipping_address: { locality: 'Portland', address_line_2: '' },
    });
    expect(payment.order_id).toMatch(/^\w+$/);
    expect(payment).toHaveProperty('shipping_address', { locality: 'Portland' });
    for (const field of blank.slice(1)) expect(payment).not.toHaveProperty(field);
  });

  it('adds the tip to the total, and shows a tip of zero', async () => {
    const tipped = await pay(server, merchant, { tip_money: usd(150) });
    expect(tipped).toMatchObject({ amount_money: usd(1000), tip_money: usd(150), total_money: usd(1150) });
    const untipped = await pay(server, merchant, { tip_money: usd(0) });
    expect(untipped).toMatchObject({ tip_money: usd(0), total_money: usd(1000) });
  });

  it('creates an order id if none is sent', async () => {
    const [one, two] = [await pay(server, merchant), await pay(server, merchant)];
    expect(one.order_id).not.toBe(two.order_id);
    expect(one.id).not.toBe(two.id);
  });

  it("returns 404 with the field for an unknown location, and for another merchant's", async () => {
    for (const location_id of ['LNOWHERE00000', stranger.locationIds[0]]) {
      const answer = await tryTo({ location_id });
      expectRefusal(answer, { status: 404, code: 'NOT_FOUND', field: 'location_id' });
      expect(answer.body.errors[0].detail).toBe(`There is no location with the id ${location_id}.`);
    }
    expectRefusal(await tryTo({ location_id: '' }), { code: 'VALUE_EMPTY', field: 'location_id' });
  });

  it.each(['amount_money', 'tip_money', 'app_fee_money'])('refuses %s in a foreign currency', async (field) => {
    const answer = await tryTo({ [field]: { amount: 1, currency: 'EUR' } });
    expectRefusal(answer, { code: 'INVALID_VALUE', field: `${field}.currency`, says: ['EUR', 'USD'] });
  });

  it('charges in the currency of the merchant, with the minimum amount of that currency', async () => {
    const london = await server.createMerchant({ country: 'GB', currency: 'GBP' });
    const pounds = (amount: number) => ({ amount_money: { amount, currency: 'GBP' } });
    expect(await pay(server, london, pounds(100))).toMatchObject({ total_money: { amount: 100, currency: 'GBP' } });
    const answer = await tryToPay(server, london, pounds(99));
    expectRefusal(answer, { code: 'VALUE_TOO_LOW', field: 'amount_money.amount', says: ['100'] });
    expect(await pay(server, merchant, { amount_money: usd(1) })).toMatchObject({ total_money: usd(1) });
  });

  it.each([
    ['0', 0, 'VALUE_TOO_LOW'],
    ['-1', -1, 'VALUE_TOO_LOW'],
    ['1.5', 1.5, 'EXPECTED_INTEGER'],
    ['1e21', 1e21, 'VALUE_TOO_HIGH'],
    ['one more than the maximum', 100_000_000_000, 'VALUE_TOO_HIGH'],
    ['"5"', '5', 'EXPECTED_INTEGER'],
    ['true', true, 'EXPECTED_INTEGER'],
    ['an object', {}, 'EXPECTED_INTEGER'],
    ['absent', undefined, 'MISSING_REQUIRED_PARAMETER'],
    ['null', null, 'MISSING_REQUIRED_PARAMETER'],
  ])('refuses an amount that is %s', async (_, amount, code) => {
    expectRefusal(await tryTo({ amount_money: { amount, currency: 'USD' } }), { code, field: 'amount_money.amount' });
  });

  it('charges the maximum amount, exact to the cent', async () => {
    const payment = await pay(server, merchant, { amount_money: usd(99_999_999_999), tip_money: usd(99_999_999_999) });
    expect(payment.total_money).toEqual(usd(199_999_999_998));
    expect(await getPayment(server, merchant, payment.id)).toMatchObject({
      total_money: usd(199_999_999_998),
      processing_fee: [{ amount_money: usd(5_800_000_030) }],
    });
  });

  it.each(['tip_money', 'app_fee_money'])('refuses a negative, fractional, too large or textual %s', async (field) => {
    const tries = [
      [-1, 'VALUE_TOO_LOW'],
      [0.5, 'EXPECTED_INTEGER'],
      [1e21, 'VALUE_TOO_HIGH'],
      ['5', 'EXPECTED_INTEGER'],
    ] as const;
    for (const [amount, code] of tries) {
      expectRefusal(await tryTo({ [field]: { amount, currency: 'USD' } }), { code, field: `${field}.amount` });
    }
  });

  it.each([
    ['absent', { amount: 5 }, 'MISSING_REQUIRED_PARAMETER'],
    ['null', { amount: 5, currency: null }, 'MISSING_REQUIRED_PARAMETER'],
    ['a number', { amount: 5, currency: 840 }, 'EXPECTED_STRING'],
    ['too long', { amount: 5, currency: 'DOLLARS' }, 'VALUE_TOO_LONG'],
    ['in lower case', { amount: 5, currency: 'usd' }, 'INVALID_VALUE'],
    ['empty', { amount: 5, currency: '' }, 'INVALID_VALUE'],
  ])('refuses a currency that is %s', async (_, amount_money, code) => {
    expectRefusal(await tryTo({ amount_money }), { code, field: 'amount_money.currency' });
  });

  it.each(['source_id', 'idempotency_key', 'amount_money'])('requires %s', async (field) => {
    const missing = { code: 'MISSING_REQUIRED_PARAMETER', field, says: [field] };
    expectRefusal(await post(without(field)), missing);
    expectRefusal(await tryTo({ [field]: null }), missing);
  });

  it.each([
    ['source_id', 17, 'EXPECTED_STRING'],
    ['idempotency_key', 17, 'EXPECTED_STRING'],
    ['amount_money', 1000, 'EXPECTED_OBJECT'],
    ['amount_money', [usd(1)], 'EXPECTED_OBJECT'],
    ['tip_money', '1.50', 'EXPECTED_OBJECT'],
    ['autocomplete', 'false', 'EXPECTED_BOOLEAN'],
    ['autocomplete', 0, 'EXPECTED_BOOLEAN'],
    ['accept_partial_authorization', 'true', 'EXPECTED_BOOLEAN'],
    ['billing_address', 'Main St', 'EXPECTED_OBJECT'],
    ['note', { text: 'x' }, 'EXPECTED_STRING'],
    ['note', 'a\0b', 'INVALID_VALUE'],
    ['note', 'half \ud800', 'INVALID_VALUE'],
  ])('refuses %s: %j', async (field, value, code) => {
    expectRefusal(await tryTo({ [field]: value }), { code, field });
  });

  it('accepts keys of 1 and 45 characters, and refuses 0 and 46', async () => {
    for (const idempotency_key of ['k', 'k'.repeat(45), 'é'.repeat(45)]) {
      expect(await pay(server, merchant, { idempotency_key })).toMatchObject({ status: 'COMPLETED' });
    }
    expectRefusal(await tryTo({ idempotency_key: '' }), { code: 'VALUE_EMPTY', field: 'idempotency_key' });
    expectRefusal(await tryTo({ idempotency_key: 'k'.repeat(46) }), {
      code: 'VALUE_TOO_LONG',
      field: 'idempotency_key',
      says: ['45'],
    });
  });

  it.each([
    ['order_id', 192],
    ['customer_id', 191],
    ['reference_id', 40],
    ['verification_token', 255],
    ['buyer_email_address', 255],
    ['note', 500],
    ['statement_description_identifier', 20],
  ])('accepts %s of %d characters and refuses one more', async (field, longest) => {
    const text = 'é'.repeat(longest);
    const payment = await pay(server, merchant, { [field]: text });
    if (field !== 'verification_token') expect(payment).toHaveProperty(field, text);
    const answer = await tryTo({ [field]: `${text}é` });
    expectRefusal(answer, { code: 'VALUE_TOO_LONG', field, says: [String(longest)] });
  });

  it.each([
    ['source_id', `cnon:${'x'.repeat(251)}`],
    ['location_id', 'L'.repeat(65)],
  ])('refuses a %s that is too long', async (field, text) => {
    expectRefusal(await tryTo({ [field]: text }), { code: 'VALUE_TOO_LONG', field });
  });

  it.each(Object.keys(ADDRESS))('refuses an address whose %s is too long', async (line) => {
    const billing_address = { ...ADDRESS, [line]: 'x'.repeat(501) };
    expectRefusal(await tryTo({ billing_address }), { code: 'VALUE_TOO_LONG', field: `billing_address.${line}` });
  });

  it('refuses a partial authorization together with autocomplete', async () => {
    const conflict = { code: 'CONFLICTING_PARAMETERS', field: 'accept_partial_authorization' };
    expectRefusal(await tryTo({ accept_partial_authorization: true }), conflict);
    expectRefusal(await tryTo({ accept_partial_authorization: true, autocomplete: true }), conflict);
  });

  it('requires any customer_id with a card on file', async () => {
    const source_id = 'ccof:customer-card-id-ok';
    for (const customer_id of [undefined, '']) {
      const answer = await tryTo({ source_id, customer_id });
      expectRefusal(answer, { code: 'MISSING_REQUIRED_PARAMETER', field: 'customer_id' });
    }
    expect(await pay(server, merchant, { source_id, customer_id: 'whoever' })).toMatchObject({
      customer_id: 'whoever',
      card_details: { entry_method: 'ON_FILE' },
    });
  });

  it('refuses bodies that are not a JSON object, too large, of another type, or compressed', async () => {
    expectRefusal(await post('[]'), { code: 'EXPECTED_JSON_BODY' });
    expectRefusal(await post('{"source_id":'), { code: 'EXPECTED_JSON_BODY' });
    const note = 'x'.repeat(1024 * 1024);
    expectRefusal(await tryTo({ note }), { status: 413, code: 'REQUEST_ENTITY_TOO_LARGE' });
    for (const headers of [{ 'content-type': 'text/plain' }, { 'content-encoding': 'gzip' }]) {
      const answer = await server.call('POST', '/v2/payments', { token: merchant.token, body: paymentBody(), headers });
      expectRefusal(answer, { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' });
    }
  });

  it('requires PAYMENTS_WRITE, and checks it before the body', async () => {
    const token = await server.createToken(merchant.id, ['PAYMENTS_READ', 'PAYMENTS_WRITE_ADDITIONAL_RECIPIENTS']);
    const answer = await tryToPay(server, { token }, { amount_money: 'nonsense' });
    const category = 'AUTHENTICATION_ERROR';
    expectRefusal(answer, { status: 403, code: 'INSUFFICIENT_SCOPES', category, says: ['PAYMENTS_WRITE'] });
  });

  it('stores nothing of a refused request', async () => {
    const own = await server.createMerchant();
    const idempotency_key = 'mended';
    for (const change of [
      { amount_money: usd(0) },
      { source_id: 'cnon:never-issued' },
      { source_id: 'nonsense' },
      { location_id: 'LNOWHERE00000' },
      { source_id: 'cnon:card-nonce-already-used' },
    ]) {
      expect((await tryToPay(server, own, { idempotency_key, ...change })).status).toBeGreaterThanOrEqual(400);
    }
    const { body } = await server.call('GET', '/v2/payments', { token: own.token });
    expect(body).toEqual({});
    expect(await pay(server, own, { idempotency_key })).toMatchObject({ status: 'COMPLETED' });
  });
});
