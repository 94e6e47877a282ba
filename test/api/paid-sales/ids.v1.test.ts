/** The id of a sale (decision 0014): that of its only tender, or an id of its own if it is split. */

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { amount } from '../../../src/base/money.js';
import { v1IdOf } from '../../../src/business/sales/model.js';
import { fn } from '../../../src/database/functions.js';
import { walkV1 } from '../../support/lists.js';
import { createApplication, grant } from '../../support/oauth.js';
import { createStore, openStore, placePaid, retrieve, update } from '../../support/orders.js';
import { advance, expectBooksInOrder, pay, tryToRefund, usd } from '../../support/payments.js';
import { openRegister, type Register } from '../../support/people.js';
import { keep, sendQueue } from '../../support/queue.js';
import { Receiver } from '../../support/receiver.js';
import { card, cash, DECLINED, item, SALES, sell } from '../../support/register-sales.js';
import type { WireSale } from '../../support/sales.js';
import { startTestServer, type TestMerchant, type TestServer } from '../../support/server.js';
import {
  hold,
  MORNING,
  openShop,
  SEEN,
  setClock,
  settlementsOf,
  type TestBusiness,
} from '../../support/settlements.js';
import { listV1, part, refundV1, tryToRefundV1, type V1Refund } from '../../support/v1-refunds.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

describe('the id of a sale', () => {
  let shop: TestBusiness;
  let till: Register;

  const HIRING = { role: { permissions: ['REGISTER_ISSUE_REFUNDS', 'REGISTER_ACCESS_SALES_HISTORY'] } };

  beforeAll(async () => {
    shop = await openShop(server);
    till = await openRegister(server, shop.owner, { hiring: HIRING });
  });

  const get = (merchant: TestMerchant, path: string) =>
    server.call('GET', `/v1/me/payments${path}`, { token: merchant.token });
  const shown = async (id: string): Promise<WireSale> => (await get(shop, `/${id}`)).body;
  const tendersOf = (sale: { readonly tenders: readonly { readonly id: string }[] }) =>
    sale.tenders.map(({ id }) => id);
  /** The refunded amount of each tender, in order. */
  const refundedAmounts = async (ids: readonly string[]) => {
    const records: V1Refund[] = (await listV1(server, shop, { parameters: { limit: '200' } })) ?? [];
    return ids.map((id) =>
      records
        .filter(({ payment_id, is_exchange }) => payment_id === id && !is_exchange)
        .reduce((sum, { refunded_money }) => sum + refunded_money.amount, 0),
    );
  };

  /** 400 by card, 350 in cash, 250 by voucher. */
  const sellSplit = () =>
    sell(till, {
      itemizations: [item(1000)],
      tenders: [card(400), cash(350), { id: randomUUID(), type: 'OTHER', name: 'Voucher' }],
    });

  describe('a sale of one tender', () => {
    it("has one id in the list, its tender, its refund, its settlement and the register's response", async () => {
      const own = await openShop(server);
      const register = await openRegister(server, own.owner, { hiring: HIRING });
      const atRegister = await sell(register, { tenders: [card()] });
      const byApi = await pay(server, own);
      const store = await openStore(server, own);
      const order = await retrieve(server, store, await placePaid(store));
      const ids = [atRegister.tenders[0]?.id, byApi.id, order.tender?.id];
      expect([atRegister.payment_id, byApi.id, order.payment_id]).toEqual(ids);
      const sales: WireSale[] = (await get(own, '')).body;
      expect(new Set(sales.map(({ id }) => id))).toEqual(new Set(ids));
      for (const { id, tender } of sales) expect(tender.map((each) => each.id)).toEqual([id]);
      for (const id of ids) expect(await refundV1(server, own, part(id ?? '', 100))).toMatchObject({ payment_id: id });
      await setClock(server, own, SEEN);
      const entries = (await settlementsOf(server, own)).flatMap((settlement) => settlement.entries ?? []);
      expect(entries.map(({ payment_id }) => payment_id).sort()).toEqual([...ids, ...ids].sort());
    });

    it('of a refunded order has the id that the order shows', async () => {
      const store = await createStore(server);
      const placed = await placePaid(store);
      await update(server, store, placed, 'REFUND');
      const order = await retrieve(server, store, placed);
      expect(await listV1(server, store.merchant)).toMatchObject([{ payment_id: order.payment_id, type: 'FULL' }]);
    });
  });

  describe('a sale of several tenders', () => {
    it('has an id of its own, which is none of its tenders, and is found by that id and by the id of each tender', async () => {
      const sold = await sellSplit();
      const ids = tendersOf(sold);
      expect(sold.payment_id).toBe(sold.id);
      expect(ids).not.toContain(sold.id);
      const sale = await shown(sold.id);
      expect(sale.id).toBe(sold.id);
      expect(sale['payment_url']).toMatch(`/${sold.id}`);
      expect(sale['receipt_url']).toMatch(`/${ids[0]}`);
      for (const id of [sold.id, ...ids]) expect(await shown(id)).toEqual(sale);
    });

    it('has one order id of 28 characters in v2 for all its cards', async () => {
      const sold = await sell(till, { itemizations: [item(1000)], tenders: [card(400), card(600)] });
      for (const id of tendersOf(sold)) {
        const { payment } = (await server.call('GET', `/v2/payments/${id}`, { token: shop.token })).body;
        expect(payment.order_id).toBe(sold.id);
        expect(payment.order_id).toMatch(/^[0-9A-Za-z]{28}$/);
      }
    });

    it('is refunded in full by its id with FULL', async () => {
      const { payment_id, ...sold } = await sellSplit();
      const ids = tendersOf(sold);
      expect(await refundV1(server, shop, { payment_id })).toMatchObject({ payment_id: ids[0], type: 'FULL' });
      expect(await refundedAmounts(ids)).toEqual([-400, -350, -250]);
    });

    it('gives nothing back by its id with PARTIAL (contract 4.2 rule 4), in v1 and at the register', async () => {
      const { payment_id = '', ...sold } = await sellSplit();
      const refused = await tryToRefundV1(server, shop, part(payment_id, 100));
      expect([refused.status, refused.body.type, refused.body.field]).toEqual([
        400,
        'bad_request.invalid_parameter',
        'payment_id',
      ]);
      const body = { payment_id, type: 'PARTIAL', refunded_money: { amount: 100 }, reason: 'Broken' };
      expect((await till.write('/api/register/refunds', body)).status).toBe(400);
      expect(await refundedAmounts(tendersOf(sold))).toEqual([0, 0, 0]);
    });

    it('gives nothing back by its id with PARTIAL in a queue, nor as a v2 payment', async () => {
      const { payment_id = '', register_id, ...sold } = await sellSplit();
      const some = { type: 'PARTIAL', refunded_money: { amount: 100 }, reason: 'Broken' };
      const writes = [{ payment_id }, { sale_id: register_id }].map((named) =>
        keep(till, 'issueRefund', { occurred_at: MORNING, body: { ...some, ...named } }),
      );
      const { results } = (await sendQueue(till, MORNING, writes)).body;
      const refused = { status: 'REFUSED', error: { code: 'INVALID_VALUE', field: 'payment_id' } };
      expect(results).toMatchObject([refused, refused]);
      const answers = [
        await tryToRefund(server, shop, { id: payment_id }, { amount_money: usd(100) }),
        await server.call('GET', `/v2/payments/${payment_id}`, { token: shop.token }),
        await hold(server, shop, payment_id),
      ];
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
      expect(await refundedAmounts(tendersOf(sold))).toEqual([0, 0, 0]);
    });

    it('is one transaction under its own id, found by each of its tenders', async () => {
      const sold = await sellSplit();
      const path = `/v2/locations/${till.device.locationId}/transactions`;
      for (const id of [sold.id, ...tendersOf(sold)]) {
        const { transaction } = (await server.call('GET', `${path}/${id}`, { token: shop.token })).body;
        expect([transaction.id, tendersOf(transaction)]).toEqual([sold.id, tendersOf(sold)]);
      }
      const { transactions } = (await server.call('GET', path, { token: shop.token })).body;
      expect(transactions[0].id).toBe(sold.id);
    });

    it("refunds its first tender only by that tender's id with FULL", async () => {
      const ids = tendersOf(await sellSplit());
      expect(await refundV1(server, shop, { payment_id: ids[0] })).toMatchObject({ payment_id: ids[0], type: 'FULL' });
      expect(await refundedAmounts(ids)).toEqual([-400, 0, 0]);
    });

    it("refunds a part of its first tender by that tender's id with PARTIAL, at most the amount of that tender", async () => {
      const [first = '', ...others] = tendersOf(await sellSplit());
      const tooMuch = await tryToRefundV1(server, shop, part(first, 401));
      expect([tooMuch.status, tooMuch.body.field]).toEqual([422, 'refunded_money']);
      expect(await refundV1(server, shop, part(first, 400))).toMatchObject({ payment_id: first, type: 'PARTIAL' });
      expect(await refundedAmounts([first, ...others])).toEqual([-400, 0, 0]);
    });

    it("refunds one tender by another tender's id with FULL", async () => {
      const ids = tendersOf(await sellSplit());
      expect(await refundV1(server, shop, { payment_id: ids[1] })).toMatchObject({ payment_id: ids[1] });
      expect(await refundedAmounts(ids)).toEqual([0, -350, 0]);
    });

    it('is refunded by the same ids at the register', async () => {
      const sold = await sellSplit();
      const ids = tendersOf(sold);
      const refund = (payment_id: string | undefined, more = {}) =>
        till.write('/api/register/refunds', { payment_id, type: 'FULL', reason: 'Broken', ...more });
      const partly = await refund(ids[0], { type: 'PARTIAL', refunded_money: { amount: 100 } });
      expect(partly.body.refunds).toMatchObject([{ payment_id: ids[0] }]);
      const first = await refund(ids[0]);
      expect(first.body.refunds).toMatchObject([{ payment_id: ids[0], amount_money: { amount: 300 } }]);
      const all = await refund(sold.payment_id);
      expect(all.body.refunds.map(({ payment_id }: V1Refund) => payment_id)).toEqual(ids.slice(1));
      expect(await refundedAmounts(ids)).toEqual([-400, -350, -250]);
    });

    it('has its own id for returned goods, whichever tenders their value comes from', async () => {
      const { payment_id } = await sellSplit();
      const goods = { payment_id, amount_money: { amount: 500 }, reason: 'Too small' };
      await sell(till, { itemizations: [item(500)], returns: [goods] });
      const { refunds, id } = await shown(payment_id ?? '');
      expect(id).toBe(payment_id);
      expect(refunds.map(({ payment_id, is_exchange }) => [payment_id, is_exchange])).toEqual([
        [id, true],
        [id, true],
      ]);
      expect((await shown(id)).tender.map(({ refunded_money }) => refunded_money)).toMatchObject([
        { amount: -400 },
        { amount: -100 },
        { amount: 0 },
      ]);
    });
  });

  describe('an open sale', () => {
    it('has its own id once a tender does not cover it, and keeps it when it completes', async () => {
      const opened = await sell(till, { tenders: [card(400, { source_id: DECLINED })] });
      expect('payment_id' in opened).toBe(false);
      const taken = (await till.write(`${SALES}/${opened.id}/tenders`, cash(300))).body.sale;
      const first = taken.tenders.find(({ status }: { status: string }) => status === 'COMPLETED').id;
      expect(taken.payment_id).toBe(opened.id);
      const partial: WireSale[] = (await get(shop, '?include_partial=true&limit=200')).body;
      expect(partial.find(({ id }) => id === opened.id)).toMatchObject({ is_partial: true });
      // A register may have stored the id of a tender.
      const done = (await till.write(`${SALES}/${first}/tenders`, card())).body.sale;
      expect(done).toMatchObject({ id: opened.id, payment_id: opened.id, state: 'COMPLETED' });
      expect(await shown(first)).toMatchObject({ id: opened.id, is_partial: false });
      expect((await till.call('GET', `${SALES}/${first}`)).body.sale).toEqual(done);
    });

    it('has the id of its tender if the first tender covers it', async () => {
      const opened = await sell(till, { tenders: [card(undefined, { source_id: DECLINED })] });
      const done = (await till.write(`${SALES}/${opened.id}/tenders`, cash())).body.sale;
      const [tender] = (await shown(opened.id)).tender;
      expect(done).toMatchObject({ payment_id: tender?.id, state: 'COMPLETED' });
      expect(await shown(opened.id)).toMatchObject({ id: tender?.id });
    });

    it('keeps its own id if an edit makes its only tender cover it, and that id still refunds it in part', async () => {
      const opened = await sell(till, { tenders: [cash(400)] });
      const edit = { id: randomUUID(), version: opened['version'], itemizations: [item(400)] };
      const done = (await till.call('PUT', `${SALES}/${opened.id}`, { body: edit })).body.sale;
      expect(done).toMatchObject({ payment_id: opened.id, state: 'COMPLETED' });
      const [tender] = tendersOf(done);
      expect(await shown(tender ?? '')).toMatchObject({ id: opened.id, tender: [{ id: tender }] });
      expect(await refundV1(server, shop, part(opened.id, 100))).toMatchObject({ payment_id: tender });
      expect(await refundV1(server, shop, { payment_id: opened.id })).toMatchObject({ payment_id: tender });
      expect(await refundedAmounts([tender ?? ''])).toEqual([-400]);
    });

    it('can be cancelled by that id', async () => {
      const opened = await sell(till, { tenders: [cash(400)] });
      const answer = await till.write(`${SALES}/${opened.payment_id}/cancel`);
      expect(answer.body.sale).toMatchObject({ id: opened.id, state: 'CANCELED', payment_id: opened.payment_id });
    });
  });

  describe('a sale with a total of 0', () => {
    it('completes without a tender, under its own id, and has nothing to refund', async () => {
      const body = { itemizations: [item(1000)], discounts: [{ name: 'On us', rate: '1' }] };
      const sold = await sell(till, { ...body, total_money: { amount: 0 } });
      expect(sold).toMatchObject({ state: 'COMPLETED', payment_id: sold.id, tenders: [] });
      expect(sold.created_at).toEqual(expect.any(String));
      const listed: WireSale[] = (await get(shop, '?limit=200')).body;
      const sale = listed.find(({ id }) => id === sold.id);
      expect(sale).toMatchObject({ tender: [], tenders: [], refunds: [], is_partial: false, itemizations: [{}] });
      expect(sale).toMatchObject({ total_collected_money: { amount: 0 }, discount_money: { amount: -1000 } });
      expect(await shown(sold.id)).toEqual(sale);
      for (const request of [{ payment_id: sold.id }, part(sold.id, 1)]) {
        const refused = await tryToRefundV1(server, shop, request);
        expect([refused.status, refused.body.type]).toEqual([422, 'unprocessable_entity']);
      }
      const returned = { payment_id: sold.id, amount_money: { amount: 1 }, reason: 'x' };
      expect((await till.write(SALES, { itemizations: [item(1)], returns: [returned] })).status).toBe(400);
    });

    it('accepts a tender for the tip, and then has the id of that tender', async () => {
      const tenders = [card(undefined, { tip_money: { amount: 200 } })];
      const sold = await sell(till, { itemizations: [item(0)], tenders });
      expect(sold).toMatchObject({ state: 'COMPLETED', payment_id: sold.tenders[0]?.id });
      expect(await shown(sold.payment_id ?? '')).toMatchObject({ tip_money: { amount: 200 } });
    });

    it('is created once if it is sent twice, also in a queue', async () => {
      const write = keep(till, 'ringUpSale', { occurred_at: MORNING, body: { itemizations: [item(0)] } });
      const send = () => sendQueue(till, MORNING, [write]);
      const [first, again] = [await send(), await send()];
      expect(first.body.results).toMatchObject([{ status: 'ACCEPTED', response: { sale: { state: 'COMPLETED' } } }]);
      expect(again.body).toEqual(first.body);
    });
  });

  describe('v1.listPayments', () => {
    it('orders payments of one instant by id, over all pages', async () => {
      const own = await openShop(server);
      const register = await openRegister(server, own.owner);
      // The last sale that was created is paid first.
      const opened: string[] = [];
      for (let count = 0; count < 5; count++) opened.push((await sell(register, { tenders: [] })).id);
      for (const id of opened.reverse()) await register.write(`${SALES}/${id}/tenders`, cash());
      for (const order of ['ASC', 'DESC']) {
        const walk = { path: '/v1/me/payments', parameters: { limit: '2', order } };
        const pages = await walkV1({ ...walk, get: (path) => server.call('GET', path, { token: own.token }) });
        const ids: string[] = pages.flatMap(({ body }) => body.map(({ id }: WireSale) => id));
        expect(ids).toHaveLength(5);
        expect(ids).toEqual(order === 'ASC' ? ids.toSorted() : ids.toSorted().reverse());
      }
    });
  });

  it('is the same in lists, which compute it in the database, and in messages', async () => {
    const sale = { id: 'SALE', due: amount(600) };
    const rows = [[], ['A'], ['A', 'B']].flatMap((tenderIds) =>
      [0, 300, 600].flatMap((paid) =>
        [null, true as const].map((keepsOwnId) => ({ ...sale, tenderIds, paid: amount(paid), keepsOwnId })),
      ),
    );
    const { sql } = server.database;
    const inLists = rows.map(
      ({ id, tenderIds, paid, due, keepsOwnId }) =>
        sql<{ id: string }[]>`
          select ${fn(sql, 'v1_id')}(${id}, ${tenderIds}::text[], ${paid}::bigint, ${due}::bigint, ${keepsOwnId}::boolean) as id`,
    );
    expect((await Promise.all(inLists)).map(([row]) => row?.id)).toEqual(rows.map(v1IdOf));
  });

  describe('a v1 message', () => {
    it('identifies a sale as the list does, on every channel: once for the charge, again for the refund', async () => {
      const receiver = await Receiver.open();
      const application = await createApplication(server);
      const store = await createStore(server);
      const { merchant, locationId } = store;
      const { access_token: token } = await grant(server, application, merchant.id);
      await server.operator('PUT', `/api/sandbox/applications/${application.id}/v1-webhook`, {
        notification_url: receiver.url,
      });
      await server.call('PUT', `/v1/${locationId}/webhooks`, { token, body: ['PAYMENT_UPDATED'] });
      const placed = await placePaid(store);
      const { payment_id } = await retrieve(server, store, placed);
      await receiver.until(1);
      await update(server, store, placed, 'REFUND');
      await receiver.until(2);
      await advance(server, merchant, 'PT10S');
      await receiver.until(3);
      expect(receiver.received.map(({ body }) => body.entity_id)).toEqual([payment_id, payment_id, payment_id]);
      await receiver.close();
    });
  });
});
