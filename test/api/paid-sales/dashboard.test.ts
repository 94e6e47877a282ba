/** The owner's list of sales: filters, pages and search; and one sale with all that happened to it. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOwner, type TestOwner } from '../../support/dashboard.js';
import { callApi } from '../../support/http.js';
import { openStore, placePaid } from '../../support/orders.js';
import { pay, usd, type WirePayment } from '../../support/payments.js';
import { freePort } from '../../support/ports.js';
import { subscribe } from '../../support/receiver.js';
import { startTestServer, type TestServer } from '../../support/server.js';
import { type MadeSale, makeSale, receiptOf } from '../../support/split-sales.js';

const AT = '2020-02-24T20:00:00Z';
const EMPLOYEE = '0190a6c0-0000-7000-8000-00000000000a';

let server: TestServer;
let owner: TestOwner;
let [charge, big]: WirePayment[] = [];
let [split, cash, early]: MadeSale[] = [];

beforeAll(async () => {
  server = await startTestServer();
  const locations = [
    { name: 'West', timezone: 'America/Los_Angeles' },
    { name: 'East', timezone: 'America/New_York' },
  ];
  owner = await createOwner(server, { locations, clock: { now: '2020-02-26T20:00:00Z', frozen: true } });
  const { merchant } = owner;
  const [west = '', east = ''] = merchant.locationIds;
  early = await makeSale(server, merchant, {
    ...{ at: '2020-02-26T05:30:00Z', locationId: east, tenders: [{ source: 'CASH', amount: 300 }] },
  });
  cash = await makeSale(server, merchant, {
    ...{
      at: '2020-02-26T06:30:00Z',
      locationId: west,
      tenders: [{ source: 'CASH', amount: 4321 }],
      employeeId: EMPLOYEE,
    },
  });
  split = await makeSale(server, merchant, {
    ...{ at: '2020-02-26T18:00:00Z', locationId: east, receipt: receiptOf(2300) },
    tenders: [
      { source: 'CARD', amount: 1446, tip: 180 },
      { source: 'OTHER', amount: 1000 },
    ],
  });
  charge = await pay(server, merchant, { reference_id: 'A-17', order_id: 'their order', note: 'Two coffees' });
  big = await pay(server, merchant, { amount_money: usd(123_450), source_id: 'cnon:test-mastercard' });
});
afterAll(() => server.stop());

type Query = Readonly<Record<string, string>>;

async function list(query: Query = {}): Promise<string[]> {
  const { status, text, body } = await owner.call('GET', `/api/dashboard/sales?${new URLSearchParams(query)}`);
  if (status !== 200) throw new Error(`not listed: ${text}`);
  return body.sales.map(({ id }: { id: string }) => id);
}

const idsOf = (...sales: readonly (MadeSale | WirePayment | undefined)[]): string[] =>
  sales.map((sale) => (sale === undefined ? '' : 'saleId' in sale ? sale.saleId : sale.id));

describe('the list', () => {
  it('has all sales, newest first, or oldest first', async () => {
    const all = idsOf(big, charge, split, cash, early);
    expect((await list()).toSorted()).toEqual(all.toSorted());
    expect((await list()).slice(2)).toEqual(idsOf(split, cash, early));
    expect(await list({ order: 'ASC' })).toEqual((await list()).toReversed());
  });

  it.each<[string, Query, () => string[]]>([
    ['location', {}, () => idsOf(split, early)],
    ['kind', { kind: 'REGISTER' }, () => idsOf(split, cash, early)],
    ['state', { state: 'CANCELED' }, () => []],
    ['tender type', { tender_type: 'CASH' }, () => idsOf(cash, early)],
    ['another tender type', { tender_type: 'OTHER' }, () => idsOf(split)],
    ['card brand', { card_brand: 'MASTERCARD' }, () => idsOf(big)],
    ['employee', { employee_id: EMPLOYEE }, () => idsOf(cash)],
    ['instants', { begin_time: '2020-02-26T06:30:00Z', end_time: '2020-02-26T18:00:00Z' }, () => idsOf(cash)],
    ['several filters', { kind: 'REGISTER', tender_type: 'CARD', refunded: 'false' }, () => idsOf(split)],
  ])('is filtered by %s', async (name, query, expected) => {
    const location = name === 'location' ? { location_id: owner.merchant.locationIds[1] ?? '' } : {};
    expect(await list({ ...query, ...location })).toEqual(expected());
  });

  it('takes days for those of the location: 06:30 UTC is still the evening before in the west', async () => {
    expect(await list({ end_date: '2020-02-25' })).toEqual(idsOf(cash));
    expect(await list({ begin_date: '2020-02-26', kind: 'REGISTER' })).toEqual(idsOf(split, early));
    expect(await list({ begin_date: '2020-02-27' })).toEqual([]);
  });

  it('pages through each filter without losing or repeating a sale', async () => {
    for (const query of [{}, { kind: 'REGISTER' }, { search: '1111' }] as const) {
      const [found, whole]: string[][] = [[], await list(query)];
      for (let cursor: string | undefined, first = true; first || cursor; first = false) {
        const parameters = new URLSearchParams({ ...query, limit: '1', ...(cursor && { cursor }) });
        const { body } = await owner.call('GET', `/api/dashboard/sales?${parameters}`);
        found?.push(...body.sales.map(({ id }: { id: string }) => id));
        cursor = body.cursor;
      }
      expect(found).toEqual(whole);
    }
  });

  it.each<[string, Query]>([
    ['employee_id', { employee_id: 'nobody' }],
    ['end_date', { begin_date: '2020-02-27', end_date: '2020-02-26' }],
    ['begin_date', { begin_date: '2020-02-31' }],
    ['location_id', { location_id: 'elsewhere' }],
  ])('refuses an invalid %s', async (field, query) => {
    const { status, body } = await owner.call('GET', `/api/dashboard/sales?${new URLSearchParams(query)}`);
    expect([status === 400 || status === 404, body.errors[0].field]).toEqual([true, field]);
  });
});

describe('the search', () => {
  it.each<[string, () => string, () => string[]]>([
    ['the id of a sale', () => split?.saleId ?? '', () => idsOf(split)],
    ['the id of a tender', () => split?.tenderIds[1] ?? '', () => idsOf(split)],
    ['a payment id', () => charge?.id ?? '', () => idsOf(charge)],
    ['a reference', () => ' A-17 ', () => idsOf(charge)],
    ['the order id of an application', () => 'their order', () => idsOf(charge)],
    ['a receipt number of a card', () => `#${charge?.id.slice(-4)}`, () => idsOf(charge)],
    ['a receipt number of cash', () => cash?.id.slice(-4) ?? '', () => idsOf(cash)],
    ['an amount by card', () => '1,234.50', () => idsOf(big)],
    ['an amount in cash', () => '$43.21', () => idsOf(cash)],
    ['the amount of one of several tenders, with its tip', () => '16.26', () => idsOf(split)],
    ['the amount of several tenders together', () => '24.46 USD', () => idsOf(split)],
    ['something else', () => "'; drop table sales --", () => []],
  ])('finds a sale by %s', async (_, text, expected) => {
    expect(await list({ search: text() })).toEqual(expected());
  });

  it('finds sales by the last four digits of the card, and takes filters too', async () => {
    expect(await list({ search: 'Visa 1111' })).toEqual(idsOf(split));
    expect(await list({ search: '•••• 5858' })).toEqual(idsOf(charge));
    expect(await list({ search: '5858', kind: 'REGISTER' })).toEqual([]);
  });

  it('finds a sale by the id of a refund and of an online order', async () => {
    const store = await openStore(server, owner.merchant);
    const order = await placePaid(store);
    const [saleId] = await list({ search: order.id });
    const refund = await owner.call('POST', `/api/dashboard/sales/${saleId}/refunds`, {
      body: { idempotency_key: randomUUID(), type: 'AMOUNT', amount_money: usd(100) },
    });
    expect(await list({ search: refund.body.refunds[0].id })).toEqual([saleId]);
    const { body } = await owner.call('GET', `/api/dashboard/sales/${refund.body.refunds[0].id}`);
    expect(body.sale).toMatchObject({ id: saleId, kind: 'ONLINE_STORE', order_id: order.id });
  });
});

describe('payment_url of the first generation', () => {
  it('leads to the page of the sale under the public URL', async () => {
    const config = { port: await freePort(), publicUrl: 'https://till.example' };
    const known = await startTestServer({ databaseUrl: server.databaseUrl, config });
    try {
      const path = `/v1/me/payments/${charge?.id}`;
      const { body } = await callApi(`http://127.0.0.1:${config.port}`, 'GET', path, owner.merchant);
      expect(body.payment_url).toBe(`https://till.example/dashboard/sales/transactions/${charge?.id}`);
    } finally {
      await known.stop();
    }
  });
});

describe('one sale', () => {
  it('shows receipt, tenders and sums', async () => {
    const { body } = await owner.call('GET', `/api/dashboard/sales/${split?.id}`);
    expect(body.sale).toMatchObject({
      ...{ id: split?.saleId, v1_id: split?.id, kind: 'REGISTER', state: 'COMPLETED', device_name: 'Till 1' },
      ...{ total_money: usd(2626), tip_money: usd(180), refundable_money: usd(2626), refunded_money: usd(0) },
      tenders: [
        { type: 'CARD', card_brand: 'VISA', last_4: '1111', refundable_money: usd(1626) },
        { type: 'OTHER', name: 'Voucher', refundable_money: usd(1000) },
      ],
      receipt: {
        items: [{ line: 0, name: 'Thing', quantity: 1, returned_quantity: 0, total_money: usd(2246) }],
        ...{ discount_money: usd(-230), tax_money: usd(176), surcharge_money: usd(200), due_money: usd(2446) },
      },
    });
  });

  it('shows the payout that it is in, and a dispute', async () => {
    const seller = await createOwner(server, { bank_account: true, clock: { now: AT, frozen: true } });
    const payment = await pay(server, seller.merchant);
    const sandbox = `/api/sandbox/merchants/${seller.merchant.id}`;
    await server.operator('POST', `${sandbox}/clock`, { advance: 'P4D' });
    await server.operator('POST', `${sandbox}/payments/${payment.id}/hold`, { amount_money: usd(500) });
    const { sale } = (await seller.call('GET', `/api/dashboard/sales/${payment.id}`)).body;
    const [, settled, disputed] = sale.timeline;
    expect([settled.kind, disputed.kind]).toEqual(['SETTLED', 'DISPUTED']);
    const settlement = await seller.call('GET', `/api/dashboard/settlements/${settled.settlement_id}`);
    expect(settled.amount_money.amount).toBe(settlement.body.settlement.total_money.amount);
  });

  it('shows the webhooks that went out about it', async () => {
    const seller = await createOwner(server);
    await subscribe(server, seller.merchant, `${server.baseUrl}/nobody`, { event_types: ['payment.created'] });
    const payment = await pay(server, seller.merchant);
    await pay(server, seller.merchant);
    const { deliveries } = (await seller.call('GET', `/api/dashboard/sales/${payment.id}`)).body;
    expect(deliveries).toMatchObject([{ event_type: 'payment.created', entity_id: payment.id }]);
    const found = await seller.call('GET', `/api/dashboard/webhook-deliveries/${deliveries[0].id}`);
    expect(found.status).toBe(200);
  });
});
