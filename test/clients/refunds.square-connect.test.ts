/** The 2020 client with both v1 operations on refunds, against a listening server. */
import SquareConnect, { type ApiClient, type Model } from 'square-connect';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { advance, expectBooksInOrder } from '../support/payments.js';
import { mainLocation } from '../support/people.js';
import { startTestServer, type TestMerchant, type TestServer } from '../support/server.js';
import { makeSale, receiptOf } from '../support/split-sales.js';
import { money } from '../support/v1-refunds.js';
import { fieldsOf, plain, refusalOf, type WithHttpInfo } from './connect.js';

type Options = Readonly<Record<string, string | number>>;

interface TransactionsApi {
  createRefund(locationId: string, body: Model): Promise<Model>;
  listRefunds(locationId: string, options?: Options): Promise<Model[]>;
  listRefundsWithHttpInfo(locationId: string, options?: Options): Promise<WithHttpInfo<Model[]>>;
}

const START = '2020-02-26T10:15:30.154Z';

let server: TestServer;
let merchant: TestMerchant;
let location: string;
let transactions: TransactionsApi;

beforeAll(async () => {
  server = await startTestServer();
  merchant = await server.createMerchant({ clock: { now: START, frozen: true } });
  location = mainLocation(merchant);
  const client = new SquareConnect.ApiClient();
  client.basePath = server.baseUrl;
  client.authentications.oauth2.accessToken = merchant.token;
  const { V1TransactionsApi } = SquareConnect as unknown as {
    V1TransactionsApi: new (client: ApiClient) => TransactionsApi;
  };
  transactions = new V1TransactionsApi(client);
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

const split = () =>
  makeSale(server, merchant, {
    at: START,
    receipt: receiptOf(2300),
    tenders: [
      { source: 'CARD', amount: 1446, tip: 180 },
      { source: 'CASH', amount: 1000 },
    ],
  });

describe('square-connect', () => {
  it('refunds one tender of a sale, and reads every field of the model', async () => {
    const { tenderIds } = await split();
    const [card = ''] = tenderIds;
    const made = await transactions.createRefund(location, {
      payment_id: card,
      type: 'PARTIAL',
      reason: 'wrong size',
      refunded_money: money(-813),
      request_idempotence_key: 'r-001',
    });
    expect(Object.keys(made).sort()).toEqual(fieldsOf('V1Refund'));
    expect(plain(made)).toMatchObject({
      ...{ type: 'PARTIAL', reason: 'wrong size', payment_id: card, merchant_id: location, is_exchange: false },
      ...{ refunded_money: money(-813), refunded_tip_money: money(-90), refunded_tax_money: money(-52) },
      ...{ refunded_discount_money: money(68), refunded_surcharge_money: money(-59) },
      ...{ created_at: '2020-02-26T10:15:30Z', processed_at: '2020-02-26T10:15:30Z' },
    });
    const { refunded_additive_tax, refunded_surcharges } = plain(made) as Record<string, Model[]>;
    expect(Object.keys(refunded_additive_tax?.[0] ?? {}).sort()).toEqual(
      fieldsOf('V1PaymentTax').filter((field) => field !== 'errors'),
    );
    expect(refunded_surcharges).toMatchObject([{ name: 'Delivery', type: 'CUSTOM', applied_money: money(-59) }]);
  });

  it('refunds a whole sale, and lists one record for each tender, page by page', async () => {
    await advance(server, merchant, 'PT1M');
    const { id, tenderIds } = await split();
    await transactions.createRefund(location, { payment_id: id, type: 'FULL', reason: 'broken' });
    const all = await transactions.listRefunds('me', { order: 'DESC', limit: 1 });
    expect(all.map(({ payment_id }) => payment_id)).toEqual(tenderIds);
    const { response } = await transactions.listRefundsWithHttpInfo(location, { limit: 1, beginTime: '2020-01-01' });
    const token = /batch_token=(.*)&begin_time/.exec(response.headers['link'] ?? '')?.[1] ?? '';
    expect(
      (await transactions.listRefunds(location, { batchToken: token })).map(({ payment_id }) => payment_id),
    ).toEqual(tenderIds);
  });

  it('reads the reason of a refusal', async () => {
    const { saleId } = await split();
    const body = { payment_id: saleId, type: 'PARTIAL', reason: 'x', refunded_money: money(-1) };
    expect(await refusalOf(transactions.createRefund(location, body))).toMatchObject({
      status: 400,
      body: { type: 'bad_request.invalid_parameter', field: 'payment_id' },
    });
  });
});
