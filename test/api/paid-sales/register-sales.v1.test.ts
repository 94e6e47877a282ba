/** Register sales in v1: items, several tenders, partial payments, and pages while late sales arrive. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NAMED_PRINTER, RECEIPT_PRINTER } from '../../../src/business/receipts/copies.js';
import { CLIENT_STYLES, idsOf, walkV1 } from '../../support/lists.js';
import { repetitions } from '../../support/long.js';
import { type Json, receiptUrlOf } from '../../support/payments.js';
import { mainLocation } from '../../support/people.js';
import { anyReceiptInput } from '../../support/receipts.js';
import {
  dueOf,
  EMPLOYEE,
  FULL_RECEIPT,
  FULL_TENDERS,
  insertRegisterSale,
  moneyIn,
  priced,
  type TestTender,
  type WireSale,
} from '../../support/sales.js';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';

const NOW = '2020-02-26T10:00:00.000Z';
const AT = '2020-02-20T18:45:00.000Z';

let server: TestServer;
let merchant: TestMerchant;

beforeAll(async () => {
  server = await startTestServer();
  merchant = await openMerchant();
});
afterAll(() => server.stop());

function openMerchant(): Promise<TestMerchant> {
  return server.createMerchant({ locations: [{ name: 'One' }, { name: 'Two' }], clock: { now: NOW, frozen: true } });
}

async function shown({ token }: TestMerchant, id: string): Promise<WireSale> {
  const answer = await server.call('GET', `/v1/me/payments/${id}`, { token });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

async function listed({ token }: TestMerchant, query = ''): Promise<WireSale[]> {
  const answer = await server.call('GET', `/v1/me/payments${query}`, { token });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

/** Inserts a stored refund of a tender; the operations that create refunds have their own tests. */
async function insertRefund(tenderId: string, change: { amount: number; origin?: string; at?: string }): Promise<void> {
  const { amount, origin = 'REGISTER', at = NOW } = change;
  const refundId = `${tenderId}_${origin}${amount}`;
  await server.database.sql`
    with refund as (
      insert into refunds (
        merchant_id, refund_id, payment_id, location_id, status, source_type, created_at, updated_at, currency, amount,
        order_id, origin, type
      )
      select
        merchant_id, ${refundId}, payment_id, location_id, 'COMPLETED', source_type, ${at}::text::timestamptz,
        ${at}::text::timestamptz, currency, ${amount}, '', ${origin}, 'PARTIAL'
      from payments
      where payment_id = ${tenderId}
    )
    update payments
    set
      refunded = refunded + ${origin === 'EXCHANGE' ? 0 : amount},
      exchanged = exchanged + ${origin === 'EXCHANGE' ? amount : 0}
    where payment_id = ${tenderId}`;
}

const v1 = (amount: number) => ({ amount, currency_code: 'USD' });
const sumOf = (lines: readonly Json[], name: string) => lines.reduce((sum, line) => sum + moneyIn(line, name), 0);

/** Contract 18: the relations between the sums of any payment. */
function expectSums(sale: WireSale): void {
  const of = (name: string) => moneyIn(sale, `${name}_money`);
  const lines = (name: string) => sale[name] as Json[];
  const found = {
    tax: of('inclusive_tax') + of('additive_tax'),
    inclusive: sumOf(lines('inclusive_tax'), 'applied_money'),
    additive: sumOf(lines('additive_tax'), 'applied_money'),
    surcharge: sumOf(lines('surcharges'), 'applied_money'),
    net: of('gross_sales') + of('discount'),
    collected: of('net_sales') + of('tax') + of('tip') + of('surcharge') + of('swedish_rounding'),
    tendered: sumOf(sale.tender, 'total_money'),
    total: of('total_collected') + of('processing_fee'),
    refunded: sumOf(sale.refunds, 'refunded_money'),
    tenderRefunds: sumOf(sale.tender, 'refunded_money'),
  };
  expect(found).toEqual({
    ...{ tax: of('tax'), inclusive: of('inclusive_tax'), additive: of('additive_tax'), surcharge: of('surcharge') },
    ...{ net: of('net_sales'), collected: of('total_collected'), tendered: of('total_collected') },
    ...{ total: of('net_total'), refunded: of('refunded'), tenderRefunds: of('refunded') },
  });
  for (const name of ['discount', 'processing_fee', 'refunded']) expect(of(name), name).toBeLessThanOrEqual(0);
  if (!sale.is_partial) expectItems(sale);
  expect(sale.tenders).toEqual(sale.tender);
}

function expectItems({ itemizations, ...sale }: WireSale): void {
  for (const item of itemizations) {
    const of = (name: string) => moneyIn(item, `${name}_money`);
    const taxes = item['taxes'] as Json[];
    const inclusive = taxes.filter((tax) => tax['inclusion_type'] === 'INCLUSIVE');
    const pieces = Math.round((of('single_quantity') * Math.round(Number(item['quantity']) * 1e5)) / 1e5);
    const modifiers = sumOf(item['modifiers'] as Json[], 'applied_money');
    expect(of('gross_sales')).toBe(pieces + modifiers - sumOf(inclusive, 'applied_money'));
    expect(of('net_sales')).toBe(of('gross_sales') + of('discount'));
    expect(of('total')).toBe(of('net_sales') + sumOf(taxes, 'applied_money'));
    expect(of('discount')).toBe(sumOf(item['discounts'] as Json[], 'applied_money'));
  }
  for (const name of ['gross_sales_money', 'discount_money', 'net_sales_money']) {
    expect(sumOf(itemizations, name), name).toBe(moneyIn(sale, name));
  }
}

describe('a sale of a register', () => {
  it('is returned with its items, taxes, discounts, surcharges and tenders, in the order in which they were taken', async () => {
    const { id, tenderIds } = await insertRegisterSale(server, merchant, {
      receipt: FULL_RECEIPT,
      tenders: FULL_TENDERS,
      at: AT,
    });
    const sale = await shown(merchant, id);
    expectSums(sale);
    const location = mainLocation(merchant);
    expect(sale).toMatchObject({
      ...{ id, merchant_id: location, creator_id: location, created_at: '2020-02-20T18:45:00Z', is_partial: false },
      ...{ device: { id: 'DEVICE', name: 'Till "1"' }, tip_money: v1(100), processing_fee_money: v1(-20) },
      receipt_url: receiptUrlOf(server, merchant, String(tenderIds[0])),
      itemizations: [
        { name: 'Latte', quantity: '2.50000000', item_detail: { sku: 'LAT-L' }, modifiers: [{ name: 'Oat milk' }] },
      ],
      additive_tax: [{ name: 'Sales tax', rate: '0.08500000', fee_id: 'tax-2' }],
      inclusive_tax: [{ name: 'VAT', rate: '0.05000000' }],
      surcharges: [{ name: 'Service' }, { name: 'Delivery', applied_money: v1(60) }],
    });
    const taken = { employee_id: EMPLOYEE, tendered_at: '2020-02-20T18:45:00Z', refunded_money: v1(0) };
    expect(sale.tender).toEqual(
      [
        {
          ...{ id: tenderIds[0], type: 'CREDIT_CARD', name: 'Credit Card', card_brand: 'VISA', pan_suffix: '1111' },
          ...{ entry_method: 'SWIPED', total_money: v1(400), tip_money: v1(100), tendered_money: v1(400) },
          ...{ settled_at: '2020-02-20T18:45:00Z', is_exchange: false },
        },
        {
          ...{ id: tenderIds[1], type: 'CASH', name: 'Cash', total_money: v1(400), tendered_money: v1(500) },
          ...{ change_back_money: v1(100), is_exchange: false },
        },
        {
          ...{ id: tenderIds[2], type: 'OTHER', name: 'Voucher "A"', total_money: v1(200), tendered_money: v1(200) },
          is_exchange: false,
        },
        {
          ...{ id: tenderIds[3], type: 'OTHER', name: 'Other', is_exchange: true },
          ...{ total_money: v1(dueOf(FULL_RECEIPT) - 900), tendered_money: v1(dueOf(FULL_RECEIPT) - 900) },
        },
      ].map((tender) => ({
        ...taken,
        receipt_url: receiptUrlOf(server, merchant, String(tender.id)),
        ...tender,
      })),
    );
    expect((await listed(merchant)).find((each) => each.id === id)).toEqual(sale);
  });

  it('is found by the id of each of its tenders, at its own location (contract 4.2 rule 6)', async () => {
    const [first = '', second = ''] = merchant.locationIds;
    const tenders = [{ amount: 400 }, { amount: 600, sourceType: 'CASH' }] as const;
    const made = await insertRegisterSale(server, merchant, {
      receipt: priced(1000),
      tenders,
      at: AT,
      locationId: second,
    });
    for (const id of [made.saleId, ...made.tenderIds]) {
      expect(await shown(merchant, id)).toMatchObject({ id: made.id, merchant_id: second });
      const get = (place: string) => server.call('GET', `/v1/${place}/payments/${id}`, { token: merchant.token });
      expect((await get(second)).status).toBe(200);
      expect((await get(first)).status).toBe(404);
    }
  });

  it('has the refunds of all its tenders, oldest first, each with its tender', async () => {
    const tenders: TestTender[] = [{ amount: 400 }, { amount: 600, sourceType: 'CASH' }];
    const { id, tenderIds } = await insertRegisterSale(server, merchant, { receipt: priced(1000), tenders, at: AT });
    const [card = '', cash = ''] = tenderIds;
    await insertRefund(cash, { amount: 250 });
    await insertRefund(card, { amount: 100, at: '2020-02-25T10:00:00Z' });
    await insertRefund(cash, { amount: 50, origin: 'EXCHANGE', at: '2020-02-26T09:00:00Z' });
    const sale = await shown(merchant, id);
    expectSums(sale);
    expect(
      sale.refunds.map(({ payment_id, refunded_money, is_exchange }) => [payment_id, refunded_money, is_exchange]),
    ).toEqual([
      [card, v1(-100), false],
      [id, v1(-50), true], // an exchange names the sale of the returned goods
      [cash, v1(-250), false],
    ]);
    expect(sale.tender.map(({ refunded_money }) => refunded_money)).toEqual([v1(-100), v1(-300)]);
  });

  it('is returned from the stored view of its receipt, and identically without one or with one of another version', async () => {
    const sale = { receipt: FULL_RECEIPT, tenders: FULL_TENDERS, at: AT };
    const { id, saleId } = await insertRegisterSale(server, merchant, sale);
    const ask = async () => (await server.call('GET', `/v1/me/payments/${id}`, { token: merchant.token })).text;
    const before = await ask();
    const change = (copy: string | null, version: number | null, printer: string | null) => server.database.sql`
      update sales set v1_receipt = ${copy}, v1_receipt_version = ${version}, v1_receipt_printer = ${printer}
      where sale_id = ${saleId}`;
    await change(null, null, null);
    expect(await ask()).toBe(before);
    await change('{"another":"copy"}', NAMED_PRINTER, 'another');
    expect(await ask()).toBe(before);
    // A server of the version before knows only the number.
    await change('{"another":"copy"}', 2, RECEIPT_PRINTER);
    expect(await ask()).toBe(before);
    await change('{"another":"copy"}', NAMED_PRINTER, RECEIPT_PRINTER);
    expect(await ask()).toContain('"another":"copy"');
  });

  it('with a total of zero has no tender and no receipt, and its sums are zero', async () => {
    const { id } = await insertRegisterSale(server, merchant, { receipt: priced(0), tenders: [], at: AT });
    const sale = await shown(merchant, id);
    expectSums(sale);
    expect(sale).toMatchObject({ tender: [], is_partial: false, total_collected_money: v1(0), itemizations: [{}] });
    expect('receipt_url' in sale).toBe(false);
  });
});

describe('a partial payment', () => {
  const first: TestTender = { amount: 400, tip: 50, at: AT };
  const last: TestTender = { amount: 600, at: '2020-02-20T19:00:00Z', sourceType: 'CASH' };

  it('is listed with include_partial only, with the amount collected so far and no items (decisions 0037, 0055)', async () => {
    const own = await openMerchant();
    const { id } = await insertRegisterSale(server, own, { receipt: priced(1000), tenders: [first], at: AT });
    for (const query of ['', '?include_partial=false', '?include_partial=0'])
      expect(await listed(own, query)).toEqual([]);
    for (const query of ['?include_partial=true', '?include_partial=True', '?include_partial=1']) {
      expect(idsOf(await listed(own, query))).toEqual([id]);
    }
    const sale = await shown(own, id);
    expectSums(sale);
    expect(sale).toMatchObject({
      ...{ is_partial: true, created_at: '2020-02-20T18:45:00Z', gross_sales_money: v1(400), net_sales_money: v1(400) },
      ...{ total_collected_money: v1(450), itemizations: [], additive_tax: [], inclusive_tax: [], surcharges: [] },
    });
    expect(sale.tender).toHaveLength(1);
  });

  it('becomes a complete payment with its last tender, and takes the time of that tender', async () => {
    const own = await openMerchant();
    const { id } = await insertRegisterSale(server, own, { receipt: priced(1000), tenders: [first, last], at: AT });
    const [sale, ...others] = await listed(own);
    expect(others).toEqual([]);
    expect(sale).toMatchObject({ id, is_partial: false, created_at: '2020-02-20T19:00:00Z', itemizations: [{}] });
    expectSums(sale as WireSale);
  });

  it('that was cancelled stays partial; without a tender it is not listed', async () => {
    const own = await openMerchant();
    const canceled = await insertRegisterSale(server, own, {
      receipt: priced(1000),
      tenders: [first],
      at: AT,
      isCanceled: true,
    });
    await insertRefund(canceled.tenderIds[0] ?? '', { amount: 450 });
    const empty = [
      await insertRegisterSale(server, own, { receipt: priced(1000), tenders: [], at: AT }),
      await insertRegisterSale(server, own, { receipt: priced(1000), tenders: [], at: AT, isCanceled: true }),
    ];
    expect(await listed(own)).toEqual([]);
    const [sale, ...others] = await listed(own, '?include_partial=true');
    expect(others).toEqual([]);
    expect(sale).toMatchObject({ id: canceled.id, is_partial: true, refunded_money: v1(-450) });
    expectSums(sale as WireSale);
    for (const { id } of empty) {
      expect((await server.call('GET', `/v1/me/payments/${id}`, { token: own.token })).status).toBe(404);
    }
  });
});

describe('reading page by page', () => {
  /** One sale per minute; some at the same instant. */
  const minute = (count: number) => new Date(Date.parse(AT) + count * 60_000).toISOString();
  const sell = (own: TestMerchant, count: number, locationId = mainLocation(own)) =>
    insertRegisterSale(server, own, {
      receipt: priced(100),
      tenders: [{ amount: 100 }],
      at: minute(count),
      locationId,
    });

  it.each(CLIENT_STYLES)(
    'returns every existing sale once while sales with earlier times arrive: %s',
    async (style) => {
      const own = await openMerchant();
      const before: string[] = [];
      for (let count = 0; count < 12; count++) before.push((await sell(own, Math.floor(count / 2) * 10)).id);
      const get = async (path: string) => {
        const answer = await server.call('GET', path, { token: own.token });
        // Late sales: before the page, within it, after it.
        for (const count of [0, 25, 50]) await sell(own, count);
        return answer;
      };
      for (const order of ['ASC', 'DESC']) {
        const parameters = { limit: '5', order };
        const seen = (await walkV1({ get, path: '/v1/me/payments', parameters, style })).flatMap(({ body }) => body);
        const ids = idsOf(seen);
        expect(new Set(ids).size).toBe(ids.length);
        expect(before.filter((id) => !ids.includes(id))).toEqual([]);
        const times = seen.map(({ created_at }: WireSale) => created_at);
        expect(times).toEqual(order === 'ASC' ? times.toSorted() : times.toSorted().reverse());
      }
    },
  );

  it('keeps its default end and its partial payments over all pages', async () => {
    const own = await openMerchant();
    const made = [await sell(own, 0), await sell(own, 1)];
    const partial = await insertRegisterSale(server, own, {
      receipt: priced(100),
      tenders: [{ amount: 40 }],
      at: minute(2),
    });
    const get = async (path: string) => {
      const answer = await server.call('GET', path, { token: own.token });
      await server.operator('POST', `/api/sandbox/merchants/${own.id}/clock`, { advance: 'PT1M' });
      await insertRegisterSale(server, own, {
        receipt: priced(100),
        tenders: [{ amount: 100 }],
        at: new Date(Date.parse(NOW) + 30_000).toISOString(),
      });
      return answer;
    };
    const parameters = { limit: '1', include_partial: 'true' };
    const pages = await walkV1({ get, path: '/v1/me/payments', parameters, style: 'only the token' });
    expect(pages.map(({ body }) => idsOf(body))).toEqual([...made, partial].map(({ id }) => [id]));
  });

  it('returns the sales of one location, or of all', async () => {
    const own = await openMerchant();
    const [first = '', second = ''] = own.locationIds;
    const made: string[] = [];
    for (let count = 0; count < 6; count++) made.push((await sell(own, count, count % 2 === 0 ? first : second)).id);
    const get = (path: string) => server.call('GET', path, { token: own.token });
    const walked = async (place: string) =>
      (await walkV1({ get, path: `/v1/${place}/payments`, parameters: { limit: '2' } })).map(({ body }) => idsOf(body));
    expect((await walked(first)).flat()).toEqual(made.filter((_, count) => count % 2 === 0));
    expect((await walked(second)).flat()).toEqual(made.filter((_, count) => count % 2 === 1));
    expect(await walked('me')).toEqual([made.slice(0, 2), made.slice(2, 4), made.slice(4)]);
  });
});

describe('the law of sums (contract 18)', () => {
  const parts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 });
  const tips = fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 4, maxLength: 4 });
  const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 4, maxLength: 4 });

  it('holds for any receipt, tenders and refunds, complete and partial', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyReceiptInput,
        parts,
        tips,
        shares,
        fc.boolean(),
        async (receipt, weights, extra, back, whole) => {
          const due = dueOf(receipt);
          const total = weights.reduce((sum, weight) => sum + weight, 0);
          const ends = weights.map((_, index) =>
            Math.floor((due * weights.slice(0, index + 1).reduce((sum, weight) => sum + weight, 0)) / total),
          );
          const tenders = ends.map((end, index) => ({
            ...{ amount: end - (ends[index - 1] ?? 0), tip: extra[index] ?? 0, fee: index * 7 },
            sourceType: (['CARD', 'CASH', 'OTHER'] as const)[index % 3] ?? 'CARD',
          }));
          const taken = tenders.filter(({ amount }) => amount > 0).slice(0, whole ? undefined : -1);
          const { id, tenderIds } = await insertRegisterSale(server, merchant, { receipt, tenders: taken, at: AT });
          for (const [index, tender] of taken.entries()) {
            const amount = Math.floor((tender.amount + tender.tip) * (back[index] ?? 0));
            if (amount > 0) await insertRefund(tenderIds[index] ?? '', { amount });
          }
          const answer = await server.call('GET', `/v1/me/payments/${id}`, { token: merchant.token });
          if (due > 0 && taken.length === 0) expect(answer.status).toBe(404);
          else expectSums(answer.body);
        },
      ),
      { seed: 20_200_226, numRuns: repetitions({ usual: 30, long: 60 }) },
    );
  });
});
