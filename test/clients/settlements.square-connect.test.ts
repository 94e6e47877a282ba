/** The 2020 client with the four operations on settlements and bank accounts, against a listening server. */
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nextPath } from '../support/http.js';
import { advance, expectBooksInOrder, type Json, pay, refund, usd } from '../support/payments.js';
import { startTestServer, type TestServer } from '../support/server.js';
import {
  adjust,
  cents,
  fail,
  feeOf,
  hold,
  openShop,
  ROUTING_NUMBER,
  setClock,
  type TestBusiness,
} from '../support/settlements.js';
import { plain, refusalOf } from './connect.js';

type Model = Record<string, unknown> & { readonly id: string };
type Options = Readonly<Record<string, string | number>>;

interface Answered<Data> {
  readonly data: Data;
  readonly response: { readonly headers: Readonly<Record<string, string>> };
}

interface V1TransactionsApi {
  listSettlements(locationId: string, options?: Options): Promise<Model[]>;
  listSettlementsWithHttpInfo(locationId: string, options?: Options): Promise<Answered<Model[]>>;
  retrieveSettlement(locationId: string, settlementId: string): Promise<Model & { readonly entries: Json[] }>;
}

interface BankAccountsApi {
  listBankAccounts(locationId: string): Promise<Model[]>;
  retrieveBankAccount(locationId: string, bankAccountId: string): Promise<Model>;
}

interface ApiClient {
  basePath: string;
  authentications: { oauth2: { accessToken?: string } };
}

/** The client has no types; this is the part that is used here. A model's prototype has a key for each of its fields. */
type Package = {
  readonly ApiClient: new () => ApiClient;
  readonly V1TransactionsApi: new (client: ApiClient) => V1TransactionsApi & BankAccountsApi;
} & Readonly<Record<'V1Settlement' | 'V1SettlementEntry' | 'V1BankAccount', { readonly prototype: object }>>;

const SquareConnect: Package = createRequire(import.meta.url)('square-connect');
const fieldsOf = (name: 'V1Settlement' | 'V1SettlementEntry' | 'V1BankAccount') =>
  Object.keys(SquareConnect[name].prototype).sort();

let server: TestServer;
let shop: TestBusiness;
let api: V1TransactionsApi & BankAccountsApi;
let paymentId: string;

/** Two days. The first has a payment, a refund and a hold; its settlement failed and was included in the second. */
beforeAll(async () => {
  server = await startTestServer();
  shop = await openShop(server);
  const client = new SquareConnect.ApiClient();
  client.basePath = server.baseUrl;
  client.authentications.oauth2.accessToken = shop.token;
  api = new SquareConnect.V1TransactionsApi(client);
  const payment = await pay(server, shop, { amount_money: usd(5000) });
  paymentId = payment.id;
  await refund(server, shop, payment, { amount_money: usd(1000) });
  // Not before the refund is complete: while money is held, none of the payment goes back.
  await advance(server, shop, 'PT1M');
  await hold(server, shop, paymentId, 500);
  await setClock(server, shop, '2020-02-22T15:00:00Z');
  const [first] = await api.listSettlements('me');
  await fail(server, shop, first?.id ?? '');
  await adjust(server, shop, 250);
  await setClock(server, shop, '2020-02-23T15:00:00Z');
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

describe('square-connect: settlements', () => {
  const feeBack = () => Math.round(feeOf(5000) / 5);
  const total = () => 5000 - feeOf(5000) - 1000 + feeBack() - 500;

  it('lists them for a location and for the whole business, with every field but the entries', async () => {
    const atLocation = await api.listSettlements(shop.locationId);
    expect(plain(await api.listSettlements('me'))).toEqual(plain(atLocation));
    expect(atLocation).toHaveLength(2);
    for (const settlement of atLocation) {
      expect(Object.keys(plain(settlement) as object).sort()).toEqual(
        fieldsOf('V1Settlement').filter((field) => field !== 'entries'),
      );
    }
    expect(plain(atLocation)).toMatchObject([
      { status: 'FAILED', initiated_at: '2020-02-21T22:00:00Z', total_money: cents(total()) },
      { status: 'SENT', initiated_at: '2020-02-22T22:00:00Z', total_money: cents(total() + 250) },
    ]);
  });

  it('filters, orders and pages', async () => {
    const [failed, sent] = await api.listSettlements('me');
    const idsFor = async (options: Options) => (await api.listSettlements('me', options)).map(({ id }) => id);
    expect(await idsFor({ status: 'FAILED' })).toEqual([failed?.id]);
    expect(await idsFor({ order: 'DESC' })).toEqual([sent?.id, failed?.id]);
    expect(await idsFor({ beginTime: '2020-02-22T00:00:00Z', endTime: '2020-02-23T00:00:00Z' })).toEqual([sent?.id]);
    const { data, response } = await api.listSettlementsWithHttpInfo('me', { limit: 1 });
    expect(data.map(({ id }) => id)).toEqual([failed?.id]);
    const link = response.headers['link'] ?? '';
    const next = nextPath({ rawHeaders: ['Link', link] } as never) ?? '';
    const batchToken = new URL(next, server.baseUrl).searchParams.get('batch_token') ?? '';
    expect(await idsFor({ batchToken })).toEqual([sent?.id]);
    expect(await idsFor({ batchToken, limit: 1, order: 'ASC' })).toEqual([sent?.id]);
  });

  it('retrieves one with its entries, each with every field that it can have', async () => {
    const [failed, sent] = await api.listSettlements('me');
    const first = await api.retrieveSettlement(shop.locationId, failed?.id ?? '');
    expect(Object.keys(plain(first) as object).sort()).toEqual(fieldsOf('V1Settlement'));
    for (const entry of first.entries) {
      expect(Object.keys(plain(entry) as object).sort()).toEqual(fieldsOf('V1SettlementEntry'));
    }
    const about = { payment_id: paymentId, fee_money: cents(0) };
    expect(plain(first.entries)).toEqual(
      expect.arrayContaining([
        { ...about, type: 'CHARGE', amount_money: cents(5000 - feeOf(5000)), fee_money: cents(-feeOf(5000)) },
        { ...about, type: 'HOLD_ADJUSTMENT', amount_money: cents(-500) },
        { ...about, type: 'REFUND', amount_money: cents(feeBack() - 1000) },
      ]),
    );
    const second = await api.retrieveSettlement('me', sent?.id ?? '');
    expect(plain(second.entries)).toEqual(
      expect.arrayContaining([
        { type: 'RETURNED_PAYOUT', amount_money: cents(total()), fee_money: cents(0) },
        { type: 'ADJUSTMENT', amount_money: cents(250), fee_money: cents(0) },
      ]),
    );
  });

  it('is refused in the v1 format', async () => {
    const tooLong = api.listSettlements('me', { beginTime: '2018-01-01T00:00:00Z' });
    expect(await refusalOf(tooLong)).toMatchObject({
      status: 400,
      body: { type: 'bad_request.invalid_parameter', field: 'end_time' },
    });
    const missing = await refusalOf(api.retrieveSettlement('me', 'nothing'));
    expect(missing).toMatchObject({ status: 404, body: { type: 'not_found' } });
  });
});

describe('square-connect: bank accounts', () => {
  it('lists them and retrieves one, with every field', async () => {
    const [settlement] = await api.listSettlements('me');
    const accountId = String(settlement?.['bank_account_id']);
    const account = await api.retrieveBankAccount(shop.locationId, accountId);
    expect(Object.keys(plain(account) as object).sort()).toEqual(fieldsOf('V1BankAccount'));
    expect(plain(account)).toEqual({
      id: accountId,
      merchant_id: shop.locationId,
      bank_name: 'First Bank',
      name: 'Ana Ruiz',
      routing_number: ROUTING_NUMBER,
      account_number_suffix: '6789',
      currency_code: 'USD',
      type: 'BUSINESS_CHECKING',
    });
    expect(plain(await api.listBankAccounts(shop.locationId))).toEqual([plain(account)]);
  });

  it('is refused for an unknown account', async () => {
    expect(await refusalOf(api.retrieveBankAccount(shop.locationId, 'nothing'))).toMatchObject({ status: 404 });
  });
});
