import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { realIds } from '../../src/base/ids.js';
import { type Instant, instant } from '../../src/base/time.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import type { Processor } from '../../src/processor/contract.js';
import { simulator } from '../../src/processor/simulator.js';
import { runDueWork } from '../../src/worker/due-work.js';
import { changeClock, pollUntil } from '../support/clock.js';
import { expectBooksInOrder, pay, refund, usd } from '../support/payments.js';
import { PLACES, spreadOver, startTestServer, type TestMerchant, type TestServer } from '../support/server.js';
import {
  adjust,
  CLOSE,
  fail,
  hold,
  linkAccount,
  made,
  only,
  openShop,
  release,
  SEEN,
  setClock,
  settlementsOf,
} from '../support/settlements.js';

const WORKERS = 6;
const PATIENCE_MS = 30_000;

let server: TestServer;
let all: TestServer[];
let databases: Database[];

beforeAll(async () => {
  server = await startTestServer();
  all = [server, await startTestServer({ databaseUrl: server.databaseUrl })];
  databases = Array.from({ length: WORKERS }, () => openDatabase(server.databaseUrl, { maxConnections: 2 }));
});
afterAll(async () => {
  await expectBooksInOrder(server);
  for (const database of databases) await database.close();
  for (const each of [...all].reverse()) await each.stop();
});

const at = (text: string): Instant => instant(Date.parse(text));

/** Moves a clock directly in the database, so that the due work is not done yet and the server's own worker does not run. */
async function moveSilently({ id }: TestMerchant, now: string): Promise<void> {
  const { sql } = server.database;
  await sql`update merchants set clock_frozen_at = ${at(now)} where merchant_id = ${id}`;
  await sql`update due_work set run_at = null where merchant_id = ${id}`;
  await server.operator('PUT', `/api/sandbox/merchants/${id}/approval`, { approved: true }); // makes the server read the clock again
}

/** All workers run the due work at the same moment. */
async function workTogether({ id }: TestMerchant, until: string, processor: Processor = simulator): Promise<void> {
  await Promise.all(databases.map((database) => runDueWork({ database, processor, ids: realIds }, id, at(until))));
}

/** The days that were closed with something to settle. */
async function closesOf({ id }: TestMerchant): Promise<Instant[]> {
  const rows = await server.database.sql<{ initiatedAt: Instant }[]>`
    select initiated_at from settlements where merchant_id = ${id} order by initiated_at`;
  return rows.map(({ initiatedAt }) => initiatedAt);
}

const statusesOf = (answers: readonly { readonly status: number }[]) => answers.map(({ status }) => status).sort();

describe('several workers', () => {
  it('close the same days of many locations once', async () => {
    const locations = Array.from({ length: 10 }, (_, index) => ({ name: `Shop ${index}` }));
    const shop = await openShop(server, { locations });
    for (const location_id of shop.locationIds) await pay(server, shop, { location_id });
    await moveSilently(shop, '2020-02-29T15:00:00Z');
    await workTogether(shop, '2020-02-29T15:00:00Z');
    const found = await settlementsOf(server, shop);
    expect(found).toHaveLength(10);
    for (const { initiated_at, entries } of found) expect([initiated_at, entries?.length]).toEqual([CLOSE, 1]);
    const paid = found.map(({ entries }) => entries?.[0]?.payment_id);
    expect(new Set(paid).size).toBe(10);
    const due = await server.database.sql<{ at: Instant }[]>`
      select due_at as at from due_work where merchant_id = ${shop.id} and kind = 'CLOSE_DAY'`;
    expect(due.map((row) => row.at)).toEqual(due.map(() => at('2020-02-29T22:00:00Z')));
    expect(due).toHaveLength(10);
  });

  it('close many days of one location in order', async () => {
    const shop = await openShop(server);
    const { sql } = server.database;
    const DAYS = 20;
    // One movement on each day, as if time had passed without a worker.
    await sql`
      insert into movements (merchant_id, movement_id, location_id, kind, currency, amount, fee, occurred_at, reason)
      select ${shop.id}, 'M' || n, ${shop.locationId}, 'ADJUSTMENT', 'USD', n + 1, 0,
        '2020-02-21T16:00:00Z'::text::timestamptz + n * interval '1 day', 'by hand'
      from generate_series(0, ${DAYS - 1}::int) n`;
    await moveSilently(shop, '2020-04-01T15:00:00Z');
    await workTogether(shop, '2020-04-01T15:00:00Z');
    const totals = (await settlementsOf(server, shop)).map(({ total_money }) => total_money.amount);
    expect(totals).toEqual(Array.from({ length: DAYS }, (_, index) => index + 1));
  });

  it('wait for a refund of the day that another worker is finishing', async () => {
    const shop = await openShop(server);
    const payment = await pay(server, shop);
    await setClock(server, shop, '2020-02-21T21:59:50Z');
    await refund(server, shop, payment, { amount_money: usd(400) });
    await moveSilently(shop, SEEN);
    const slow: Processor = {
      ...simulator,
      async refund(request) {
        await sleep(300);
        return simulator.refund(request);
      },
    };
    await workTogether(shop, SEEN, slow);
    const { initiated_at, entries } = only(await settlementsOf(server, shop));
    expect([initiated_at, entries?.map(({ type }) => type)]).toEqual([CLOSE, ['CHARGE', 'REFUND']]);
  });

  it('do not wait for a refund that the processor does not respond to', async () => {
    const shop = await openShop(server);
    const payment = await pay(server, shop);
    await setClock(server, shop, '2020-02-21T21:59:50Z');
    await refund(server, shop, payment, { amount_money: usd(400) });
    const path = `/api/sandbox/merchants/${shop.id}/processor-rules`;
    await server.operator('POST', path, { effect: 'TIME_OUT', times: 1_000_000 });
    await setClock(server, shop, SEEN);
    expect(only(await settlementsOf(server, shop)).entries?.map(({ type }) => type)).toEqual(['CHARGE']);
    await server.operator('DELETE', path);
    await setClock(server, shop, '2020-02-23T06:00:00Z');
    const [, next] = await settlementsOf(server, shop);
    expect(next?.entries?.map(({ type }) => type)).toEqual(['REFUND']);
  });
});

describe.each(PLACES)('a close $where', ({ servers }) => {
  beforeAll(() => {
    server = spreadOver(all.slice(0, servers));
  });

  it('takes each payment once while payments and refunds are made on a running clock', async () => {
    const shop = await openShop(server, { clock: { now: '2020-02-21T21:59:59.500Z', frozen: true } });
    const first = await pay(server, shop); // before the close, even on a slow machine
    await changeClock(server, shop.id, { frozen: false });
    let running = true;
    const paying = Array.from({ length: 4 }, async () => {
      const ids: string[] = [];
      while (running) {
        const payment = await pay(server, shop);
        ids.push(payment.id);
        if (ids.length % 3 === 0) await refund(server, shop, payment, { amount_money: usd(100) });
      }
      return ids;
    });
    const closed = await pollUntil(
      () => closesOf(shop),
      ({ length }) => length > 0,
      PATIENCE_MS,
    );
    expect(closed).toEqual([at(CLOSE)]);
    await sleep(500);
    running = false;
    const paid = [first.id, ...(await Promise.all(paying)).flat()];
    await setClock(server, shop, '2020-02-23T15:00:00Z');
    const found = await settlementsOf(server, shop);
    expect(found.map(({ initiated_at }) => initiated_at)).toEqual([CLOSE, '2020-02-22T22:00:00Z']);
    const charged = found.flatMap(({ entries = [] }) => entries.filter(({ type }) => type === 'CHARGE'));
    expect(charged.map(({ payment_id }) => payment_id).sort()).toEqual([...paid].sort());
    const refunds = found.flatMap(({ entries = [] }) => entries.filter(({ type }) => type === 'REFUND'));
    expect(refunds.length).toBeGreaterThan(0);
    for (const { total_money, entries = [] } of found) {
      expect(entries.reduce((sum, { amount_money }) => sum + amount_money.amount, 0)).toBe(total_money.amount);
    }
  });

  it('leaves the next close due when the clock moves at the same moment', async () => {
    const shop = await openShop(server, { clock: { now: '2020-02-21T12:00:00Z' } });
    for (let day = 0; day < 5; day++) {
      await adjust(server, shop, 100);
      await Promise.all(
        Array.from({ length: 4 }, () =>
          server.operator('POST', `/api/sandbox/merchants/${shop.id}/clock`, { advance: 'PT6H' }),
        ),
      );
    }
    await server.operator('POST', `/api/sandbox/merchants/${shop.id}/clock`, { advance: 'P3D' });
    const totals = (await settlementsOf(server, shop)).map(({ total_money }) => total_money.amount);
    expect(totals.reduce((sum, total) => sum + total, 0)).toBe(500);
    const [row] = await server.database.sql<{ right: boolean }[]>`
      select run_at = due_at - clock_offset_ms * interval '1 millisecond' as right
      from due_work join merchants using (merchant_id)
      where merchant_id = ${shop.id} and kind = 'CLOSE_DAY'`;
    expect(row?.right).toBe(true);
  });

  it('is made by the worker when it falls due', async () => {
    const shop = await openShop(server, { clock: { now: '2020-02-21T21:59:59Z', frozen: true } });
    await adjust(server, shop, 100);
    await changeClock(server, shop.id, { frozen: false });
    expect(
      await pollUntil(
        () => closesOf(shop),
        ({ length }) => length > 0,
        PATIENCE_MS,
      ),
    ).toEqual([at(CLOSE)]);
  });

  it('pays to the active account while another one is activated', async () => {
    const shop = await openShop(server);
    const other = await linkAccount(shop.owner, { account_number: '5544332211' });
    await adjust(server, shop, 100);
    await moveSilently(shop, SEEN);
    const choose = (id: string) => shop.owner.call('POST', `/api/dashboard/bank-accounts/${id}/put-in-force`);
    const choices = Array.from({ length: 10 }, (_, index) => choose(index % 2 === 0 ? other : shop.accountId));
    await Promise.all([workTogether(shop, SEEN), ...choices]);
    const { bank_account_id } = only(await settlementsOf(server, shop));
    expect([shop.accountId, other]).toContain(bank_account_id);
  });
});

describe.each(PLACES)('an operation of the operator, sent many times at once $where,', ({ servers }) => {
  beforeAll(() => {
    server = spreadOver(all.slice(0, servers));
  });

  it('fails a settlement once', async () => {
    const shop = await openShop(server);
    await adjust(server, shop, 100);
    await setClock(server, shop, SEEN);
    const { id } = only(await settlementsOf(server, shop));
    const answers = await Promise.all(Array.from({ length: 8 }, () => fail(server, shop, id)));
    expect(statusesOf(answers)).toEqual([200, ...Array.from({ length: 7 }, () => 400)]);
    await setClock(server, shop, '2020-02-23T06:00:00Z');
    const [, next] = await settlementsOf(server, shop);
    expect(next?.entries?.map(({ type, amount_money }) => [type, amount_money.amount])).toEqual([
      ['RETURNED_PAYOUT', 100],
    ]);
  });

  it('holds and releases a payment once', async () => {
    const shop = await openShop(server);
    const { id } = await pay(server, shop);
    const expected = [200, ...Array.from({ length: 5 }, () => 400)];
    expect(statusesOf(await Promise.all(Array.from({ length: 6 }, () => hold(server, shop, id))))).toEqual(expected);
    expect(statusesOf(await Promise.all(Array.from({ length: 6 }, () => release(server, shop, id))))).toEqual(expected);
  });

  it('holds no more than a refund leaves', async () => {
    const shop = await openShop(server);
    const payment = await pay(server, shop);
    await refund(server, shop, payment, { amount_money: usd(700) });
    const [, answer] = await Promise.all([
      server.operator('POST', `/api/sandbox/merchants/${shop.id}/clock`, { advance: 'PT10S' }),
      hold(server, shop, payment.id),
    ]);
    expect([usd(1000), usd(300)]).toContainEqual(made(answer).hold.amount_money);
  });
});
