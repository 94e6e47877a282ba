/** The 2020 client with both operations on v1 payments, with every field of its models. */
import SquareConnect, { type ApiClient } from 'square-connect';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { advance, pay, refund, usd } from '../support/payments.js';
import { ensureDefined, mainLocation } from '../support/people.js';
import { FULL_RECEIPT, FULL_TENDERS, insertRegisterSale, priced } from '../support/sales.js';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';
import { fieldsOf, plain, refusalOf, type WithHttpInfo } from './connect.js';

const START = '2020-02-26T10:15:30.154Z';
const AT = '2020-02-20T18:45:00Z';

type Model = Record<string, unknown> & { readonly id: string };
type Options = Readonly<Record<string, string | number | boolean>>;

interface V1TransactionsApi {
  listPayments(locationId: string, options?: Options): Promise<Model[]>;
  listPaymentsWithHttpInfo(locationId: string, options?: Options): Promise<WithHttpInfo<Model[]>>;
  retrievePayment(locationId: string, paymentId: string): Promise<Model>;
}

interface Package {
  readonly V1TransactionsApi: new (client: ApiClient) => V1TransactionsApi;
}

let server: TestServer;
let merchant: TestMerchant;
let api: V1TransactionsApi;

beforeAll(async () => {
  server = await startTestServer();
  merchant = await openMerchant();
  api = apiFor(merchant.token);
});
afterAll(() => server.stop());

function openMerchant(): Promise<TestMerchant> {
  return server.createMerchant({ locations: [{ name: 'One' }, { name: 'Two' }], clock: { now: START, frozen: true } });
}

function apiFor(token: string): V1TransactionsApi {
  const client = new SquareConnect.ApiClient();
  client.basePath = server.baseUrl;
  client.authentications.oauth2.accessToken = token;
  return new (SquareConnect as unknown as Package).V1TransactionsApi(client);
}

const listIn = (owner: object | undefined, name: string) => (owner as Record<string, object[]>)[name] ?? [];

/** Every field that the client knows is in one of these, except the omitted ones. */
function expectFields(model: string, models: readonly (object | undefined)[], leftOut: readonly string[] = []): void {
  const found = new Set(models.flatMap((each) => Object.keys(plain(ensureDefined(each)) as object)));
  expect(fieldsOf(model).filter((field) => !found.has(field))).toEqual([...leftOut]);
}

describe('V1TransactionsApi.retrievePayment', () => {
  it("fills every field of the client's models", async () => {
    const { id, tenderIds } = await insertRegisterSale(server, merchant, {
      receipt: FULL_RECEIPT,
      tenders: FULL_TENDERS,
      at: AT,
    });
    const sale = await api.retrievePayment(mainLocation(merchant), id);
    const paid = await pay(server, merchant, { note: 'Two coffees' });
    await refund(server, merchant, paid, { amount_money: usd(100), reason: 'spilled' });
    const online = await api.retrievePayment('me', paid.id);
    expect([sale.id, online.id]).toEqual([id, paid.id]);
    expect((await api.retrievePayment('me', tenderIds[1] ?? '')).id).toBe(id);

    expectFields('V1Payment', [sale]);
    expectFields('V1Tender', [...listIn(sale, 'tender'), ...listIn(online, 'tender')]);
    expectFields('V1Refund', listIn(online, 'refunds'));
    expectFields('V1Money', [sale['tip_money'] as object]);
    expectFields('Device', [sale['device'] as object]);
    const [item] = listIn(sale, 'itemizations');
    expectFields('V1PaymentItemization', [item]);
    expectFields('V1PaymentItemDetail', [(item as { item_detail?: object }).item_detail]);
    expectFields('V1PaymentDiscount', listIn(item, 'discounts'));
    expectFields('V1PaymentModifier', listIn(item, 'modifiers'));
    expectFields('V1PaymentTax', [...listIn(item, 'taxes'), ...listIn(sale, 'additive_tax')], ['errors']);
    expectFields('V1PaymentSurcharge', listIn(sale, 'surcharges'));
  });

  it('is refused for an unknown payment', async () => {
    expect(await refusalOf(api.retrievePayment('me', 'a/b'))).toEqual({
      status: 404,
      body: { type: 'not_found', message: 'There is no payment with the id a/b.' },
    });
    expect(await refusalOf(apiFor('EAAAnobody').retrievePayment('me', 'x'))).toMatchObject({ status: 401 });
  });
});

describe('V1TransactionsApi.listPayments', () => {
  it('accepts every parameter, and pages by the token of the Link header to the end', async () => {
    const own = await openMerchant();
    const [ownApi, [first = '', second = '']] = [apiFor(own.token), own.locationIds];
    const older = (await pay(server, own, { location_id: first })).id;
    await advance(server, own, 'PT1H');
    const newer = (await pay(server, own, { location_id: second })).id;
    const partial = await insertRegisterSale(server, own, { receipt: priced(100), tenders: [{ amount: 40 }], at: AT });
    const found = async (place: string, options?: Options) =>
      (await ownApi.listPayments(place, options)).map(({ id }) => id);
    expect(await found('me')).toEqual([older, newer]);
    expect(await found('me', { order: 'DESC' })).toEqual([newer, older]);
    expect(await found(first)).toEqual([older]);
    expect(await found('me', { beginTime: START, endTime: '2020-02-26T11:00:00Z' })).toEqual([older]);
    expect(await found('me', { includePartial: true })).toEqual([partial.id, older, newer]);
    expect(await found('me', { includePartial: false })).toEqual([older, newer]);

    const { data, response } = await ownApi.listPaymentsWithHttpInfo('me', { limit: 1 });
    expect(data.map(({ id }) => id)).toEqual([older]);
    const link = ensureDefined(/^<([^>]+)>;rel='next'$/.exec(response.headers['link'] ?? ''))[1] ?? '';
    const batchToken = ensureDefined(new URL(link).searchParams.get('batch_token'));
    const last = await ownApi.listPaymentsWithHttpInfo('me', { batchToken });
    expect([last.data.map(({ id }) => id), last.response.headers['link']]).toEqual([[newer], undefined]);
  });

  it('is refused for a range over a year', async () => {
    const range = { beginTime: '2018-01-01T00:00:00Z', endTime: '2019-01-02T00:00:00Z' };
    expect(await refusalOf(api.listPayments('me', range))).toMatchObject({
      status: 400,
      body: { type: 'bad_request.invalid_parameter', field: 'end_time' },
    });
  });
});
