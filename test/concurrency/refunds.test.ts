import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiResponse } from '../support/http.js';
import { advance, cancelByKey, expectBooksInOrder, getPayment, pay, tryToRefund, usd } from '../support/payments.js';
import { openBusiness, openShift } from '../support/people.js';
import { PLACES, startTestServer, type TestMerchant, type TestServer } from '../support/server.js';
import { makeSale } from '../support/split-sales.js';
import { listV1, part, tryToRefundV1 } from '../support/v1-refunds.js';

const START = '2020-02-26T10:15:30.154Z';

let server: TestServer;
/** A second server on the same database, which a lock inside the process does not cover. */
let second: TestServer;
let howMany = 1;
const at = (index: number) => (index % howMany === 0 ? server : second);

beforeAll(async () => {
  server = await startTestServer();
  second = await startTestServer({ databaseUrl: server.databaseUrl });
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await second.stop();
  await server.stop();
});

const frozen = () => server.createMerchant({ clock: { now: START, frozen: true } });

/** Sends all requests before any response arrives. */
const together = <Made>(count: number, send: (index: number) => Promise<Made>): Promise<Made[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => send(index)));

const statusesOf = (answers: readonly ApiResponse[]) => answers.map(({ status }) => status).sort();
const gone = (records: readonly { refunded_money: { amount: number } }[]) =>
  -records.reduce((sum, each) => sum + each.refunded_money.amount, 0);

describe.each(PLACES)('concurrent v1 refunds $where', ({ servers }) => {
  beforeAll(() => {
    howMany = servers;
  });

  it('refund no more than the payment, together with v2 refunds', async () => {
    const merchant = await frozen();
    const payment = await pay(server, merchant);
    const answers = await together(20, (index) =>
      index % 3 === 0
        ? tryToRefund(at(index), merchant, payment, { amount_money: usd(300) })
        : tryToRefundV1(at(index), merchant, part(payment.id, 300)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(await getPayment(server, merchant, payment.id)).toMatchObject({ refunded_money: usd(900) });
    expect(gone(await listV1(server, merchant))).toBe(900);
  });

  it('with one key create one refund and return it to all', async () => {
    const merchant = await frozen();
    const payment = await pay(server, merchant);
    const body = part(payment.id, 70, { request_idempotence_key: randomUUID() });
    const answers = await together(30, (index) => tryToRefundV1(at(index), merchant, body));
    expect(new Set(statusesOf(answers))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await getPayment(server, merchant, payment.id)).toMatchObject({ refunded_money: usd(70) });
  });

  it('with one key create one refund of a sale, by whichever id they name it, in each of 10 rounds', async () => {
    const merchant = await frozen();
    await together(10, async (round) => {
      const tenders = [
        { source: 'CARD', amount: 700 },
        { source: 'CASH', amount: 500 },
      ] as const;
      const sale = await makeSale(server, merchant, { at: START, tenders });
      const key = { request_idempotence_key: 'one' };
      const names = [sale.saleId, sale.id, sale.saleId, sale.id];
      const answers = await Promise.all(
        names.map((payment_id, index) => tryToRefundV1(at(round + index), merchant, { payment_id, ...key })),
      );
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, answers[0]?.text).toBe(1);
      expect(answers[0]?.status).toBe(200);
      const records = (await listV1(server, merchant, { parameters: { limit: '200' } })).filter(({ payment_id }) =>
        sale.tenderIds.includes(payment_id),
      );
      expect(gone(records)).toBe(1200);
    });
  });

  it('with one key for two tenders refund one of them, in each of 10 rounds', async () => {
    const merchant = await frozen();
    await together(10, async (round) => {
      const tenders = [
        { source: 'CASH', amount: 700 },
        { source: 'CASH', amount: 500 },
      ] as const;
      const { tenderIds, saleId } = await makeSale(server, merchant, { at: START, tenders });
      const answers = await Promise.all(
        tenderIds.map((id, index) =>
          tryToRefundV1(at(round + index), merchant, part(id, 100, { request_idempotence_key: 'one' })),
        ),
      );
      expect(statusesOf(answers)).toEqual([200, 400]);
      const [row] = await server.database.sql<{ refunded: number }[]>`
        select sum(refunded)::bigint as refunded from payments where sale_id = ${saleId}`;
      expect(row?.refunded).toBe(100);
    });
  });

  it('of a whole sale and of its tenders refund each tender once, in each of 15 rounds', async () => {
    const merchant = await frozen();
    await together(15, async (round) => {
      const tenders = [
        { source: 'CARD', amount: 700, tip: 100 },
        { source: 'CASH', amount: 500 },
        { source: 'OTHER', amount: 300 },
      ] as const;
      const sale = await makeSale(server, merchant, { at: START, tenders });
      const [card = '', cash = '', other = ''] = sale.tenderIds;
      const answers = await Promise.all([
        tryToRefundV1(at(round), merchant, { payment_id: sale.id }),
        tryToRefundV1(at(round + 1), merchant, part(other, 200)),
        tryToRefundV1(at(round), merchant, { payment_id: cash }),
        tryToRefund(at(round + 1), merchant, { id: card }, { amount_money: usd(500) }),
      ]);
      // The refund of the sale has what the others left. Another refund fails only if the sale's refund took its amount.
      expect(answers[0]?.status, answers[0]?.text).toBe(200);
      const [row] = await server.database.sql<{ refunded: number; total: number }[]>`
        select sum(refunded)::bigint as refunded, sum(total)::bigint as total
        from payments where sale_id = ${sale.saleId}`;
      expect(row?.refunded).toBe(row?.total);
    });
    await advance(server, merchant, 'PT1M');
  });

  it('during a cancel by key refund the payment once, in each of 20 rounds', async () => {
    const merchant = await frozen();
    await together(20, async (round) => {
      const key = randomUUID();
      const payment = await pay(at(round), merchant, { idempotency_key: key, tip_money: usd(77) });
      const [refunded, canceled] = await Promise.all([
        tryToRefundV1(at(round + 1), merchant, part(payment.id, 333)),
        cancelByKey(at(round), merchant, key),
      ]);
      expect([200, 422], refunded.text).toContain(refunded.status);
      expect(canceled.status).toBe(200);
      const records = (await listV1(server, merchant)).filter(({ payment_id }) => payment_id === payment.id);
      expect(gone(records)).toBe(1077);
      expect(records.reduce((sum, each) => sum + each.refunded_tip_money.amount, 0)).toBe(-77);
    });
  });

  it('of cash during the end of the shift are in the drawer or are not made', async () => {
    const { owner, register } = await openBusiness(server, { clock: { now: START, frozen: true } });
    const merchant: TestMerchant = owner.merchant;
    for (let round = 0; round < 6; round++) {
      const shift = await openShift(register);
      const { device, employeeId } = register;
      const tenders = [{ source: 'CASH', amount: 400 }] as const;
      const sales = await together(4, () => makeSale(server, merchant, { at: START, tenders, device, employeeId }));
      const [ended, ...answers] = await Promise.all([
        register.write(`/api/register/cash-drawer-shifts/${shift.id}/end`),
        ...sales.map(({ id }, index) => tryToRefundV1(at(index), merchant, { payment_id: id })),
      ]);
      expect(ended?.status).toBe(200);
      expect(statusesOf(answers)).toEqual([200, 200, 200, 200]);
    }
  });
});
