/** The demo business as its users see it: thirteen months of records of every kind. */
import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/base/time.js';
import { findShift } from '../../src/business/cash-drawers/queries.js';
import { sumUp } from '../../src/business/cash-drawers/report-model.js';
import { findDrawerFacts } from '../../src/business/cash-drawers/report-queries.js';
import { findReport } from '../../src/business/cash-drawers/reports.js';
import { findCatalogue } from '../../src/business/catalogue/queries.js';
import { findBreaches } from '../../src/check/check.js';
import { type Database, openDatabase } from '../../src/database/database.js';
import type { DemoFile } from '../../src/demo/demo-file.js';
import { runHere } from '../support/commands.js';
import type { ApiResponse } from '../support/http.js';
import { type Walk, walkV1, walkV2 } from '../support/lists.js';
import { ensureDefined } from '../support/people.js';
import { newDataDir, Program, Server, until } from '../support/process.js';
import { cloneDatabase, type TestDatabase } from '../support/server.js';

let clone: TestDatabase;
let database: Database;
/** A start that was killed while it created the demo. */
let killed: { readonly stdout: string; readonly files: readonly string[]; readonly merchants: number };
/** The next start. */
let server: Server;
let demo: DemoFile;
let token: string;
let merchantId: string;
let locationIds: readonly string[];
let now: number;

beforeAll(async () => {
  const dataDir = await newDataDir();
  clone = await cloneDatabase();
  database = openDatabase(clone.url, { maxConnections: 2, hasLongTimeouts: true });
  const env = { DATABASE_URL: clone.url, TILLHOUSE_DEMO: 'on', TILLHOUSE_DEMO_HISTORY: 'on' };
  const first = await Program.start(['serve', '--port', '0', '--data-dir', dataDir], { env });
  // The key is written just before the demo is created.
  await until(async () => (await readdir(dataDir).catch((): string[] => [])).includes('account-key'));
  await sleep(300);
  first.signal('SIGKILL');
  await first.exited;
  const [counted] = await database.sql<{ merchants: number }[]>`select count(*) as merchants from merchants`;
  killed = { stdout: first.stdout, files: await readdir(dataDir), merchants: counted?.merchants ?? -1 };

  now = Date.now();
  server = await Server.start({ dataDir, env });
  demo = await server.demo();
  ({ access_token: token, merchant_id: merchantId, location_ids: locationIds } = demo);
}, 240_000);
afterAll(async () => {
  await server.stop();
  await database.close();
  await clone.drop();
});

// biome-ignore lint/suspicious/noExplicitAny: responses of all kinds of operations
type Record = any;

async function get(path: string): Promise<ApiResponse> {
  const answer = await server.call('GET', path, { token });
  expect([path, answer.status]).toEqual([path, 200]);
  return answer;
}

/** Follows the pages as most clients do. */
function toWalk(given: string): Walk {
  const [path = '', query] = given.split('?');
  return { get, path, parameters: Object.fromEntries(new URLSearchParams(query)) };
}

async function listV1(path: string): Promise<{ records: Record[]; pages: number }> {
  const pages = await walkV1(toWalk(path));
  return { records: pages.flatMap(({ body }) => body), pages: pages.length };
}

async function listV2(path: string, name: string): Promise<{ records: Record[]; pages: number }> {
  const pages = await walkV2(toWalk(path));
  return { records: pages.flatMap(({ body }) => body[name] ?? []), pages: pages.length };
}

const time = (text: string): number => Date.parse(text);
const range = (from: number, until: number): string =>
  `begin_time=${new Date(from).toISOString()}&end_time=${new Date(until).toISOString()}`;
/** Within the business hours, or shortly after them, while the drawer is still counted. */
function isOpen({ timezone, business_hours }: Record): boolean {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(now);
  const part = (type: string): string => parts.find((each) => each.type === type)?.value ?? '';
  const minutes = Number(part('hour')) * 60 + Number(part('minute'));
  const toMinutes = (text: string): number => Number(text.slice(0, 2)) * 60;
  return business_hours.periods.some(
    ({ day_of_week, start_local_time, end_local_time }: Record) =>
      day_of_week === part('weekday').toUpperCase() &&
      minutes >= toMinutes(start_local_time) - 60 &&
      minutes <= toMinutes(end_local_time) + 60,
  );
}

/** A v1 list covers at most one year. */
const lastYear = (): string => range(now - 364 * DAY_MS, now);

let allSales: ReturnType<typeof listV1> | undefined;

/** Read once: it is the longest list. */
function listAllSales(): ReturnType<typeof listV1> {
  allSales ??= listV1(`/v1/me/payments?${lastYear()}&limit=200&include_partial=true`);
  return allSales;
}

async function listRegisterSales(locationId = ''): Promise<Record[]> {
  const devices = await database.sql<{ deviceId: string }[]>`
    select device_id from devices where merchant_id = ${merchantId} and location_id = ${locationId}`;
  const ids = new Set(devices.map(({ deviceId }) => deviceId));
  return (await listAllSales()).records.filter(({ device, is_partial }) => ids.has(device.id) && !is_partial);
}

describe('a start that is killed while it creates the demo', () => {
  it('leaves nothing of it', () => {
    expect(killed).toEqual({ stdout: '', files: expect.not.arrayContaining(['demo.json']), merchants: 0 });
  });

  it('is followed by one that creates all of it, and reports when it is ready', async () => {
    expect((await server.call('GET', '/readyz')).status).toBe(200);
    expect(server.program.stdout.match(/Access token: (\S+)/)?.[1]).toBe(token);
    const path = `/v2/payments?location_id=${locationIds[0]}`;
    const { body } = await server.call('GET', path, { token: demo.application?.access_token ?? '' });
    expect(body.payments.length).toBeGreaterThan(0);

    // The online store accepts its key, and the owner sees the permissions of the application.
    const store = await server.call('GET', '/api/checkout/catalogue', { token: demo.publishable_key ?? '' });
    expect(store.body.items.length).toBe(8);
    const { headers } = await server.call('POST', '/api/dashboard/session', { body: demo.dashboard });
    const cookie = String(headers['set-cookie']).split(';', 1)[0] ?? '';
    const allowed = await server.call('GET', '/api/dashboard/authorizations', { headers: { cookie } });
    expect(allowed.body.authorizations).toEqual([
      expect.objectContaining({ application_id: demo.application?.id, application_name: 'Juniper & Rye online' }),
    ]);
    const { stdout } = await runHere(['status', '-o', 'env', '--data-dir', server.dataDir]);
    expect(stdout).toContain(`TILLHOUSE_PUBLISHABLE_KEY='${demo.publishable_key}'`);
  });
});

describe('the history of Juniper & Rye', () => {
  it('has thousands of v2 payments over thirteen months, in every state, by several brands, with tips', async () => {
    const { records, pages } = await listV2(`/v2/payments?${range(now - 420 * DAY_MS, now)}`, 'payments');
    expect(records.length).toBeGreaterThan(4000);
    expect(pages).toBeGreaterThan(40);
    const statuses = new Set(records.map(({ status }) => status));
    expect([...statuses].sort()).toEqual(['APPROVED', 'CANCELED', 'COMPLETED', 'FAILED']);
    expect(records.filter(({ status }) => status === 'APPROVED').length).toBeGreaterThanOrEqual(2);
    expect(new Set(records.map(({ card_details }) => card_details.card.card_brand)).size).toBeGreaterThan(3);
    expect(records.filter(({ tip_money }) => tip_money).length).toBeGreaterThan(1000);
    expect(records.filter(({ app_fee_money }) => app_fee_money).length).toBeGreaterThan(100);
    const times = records.map(({ created_at }) => time(created_at));
    expect(Math.max(...times)).toBeLessThanOrEqual(Date.now());
    expect(Math.max(...times)).toBeGreaterThan(now - 4 * DAY_MS);
    expect(Math.min(...times)).toBeLessThan(now - 390 * DAY_MS);
  });

  it('sells more at weekends than on Mondays, and at lunch than in the afternoon', async () => {
    const records = await listRegisterSales(locationIds[0]);
    const timeZone = 'America/Los_Angeles';
    const formats = {
      weekday: new Intl.DateTimeFormat('en-US', { timeZone, weekday: 'short' }),
      hour: new Intl.DateTimeFormat('en-US', { timeZone, hour: 'numeric', hourCycle: 'h23' }),
    };
    const times = records.map(({ created_at }) => new Date(created_at));
    const count = (what: 'weekday' | 'hour', value: string): number =>
      times.filter((at) => formats[what].format(at) === value).length;
    expect(count('weekday', 'Sat')).toBeGreaterThan(1.5 * count('weekday', 'Mon'));
    expect(count('hour', '12')).toBeGreaterThan(2 * count('hour', '15'));
    expect(count('hour', '03')).toBe(0);
  });

  it('has v1 payments with taxes, discounts, split tenders, cash, vouchers and offline arrivals; some are partial', async () => {
    const { records, pages } = await listAllSales();
    expect(pages).toBeGreaterThan(20);
    const sales = records.filter(({ device, is_partial }) => device.id && !is_partial);
    expect(sales.length).toBeGreaterThan(5000);
    expect(sales.every(({ additive_tax_money }) => additive_tax_money.amount > 0)).toBe(true);
    expect(sales.filter(({ discount_money }) => discount_money.amount < 0).length).toBeGreaterThan(100);
    expect(sales.filter(({ tender }) => tender.length > 1).length).toBeGreaterThan(100);
    expect(sales.filter(({ inclusive_tax_money }) => inclusive_tax_money.amount > 0).length).toBeGreaterThan(100);
    const kinds = new Set(sales.flatMap(({ tender }) => tender.map(({ type }: { type: string }) => type)));
    expect([...kinds]).toEqual(expect.arrayContaining(['CASH', 'CREDIT_CARD', 'OTHER']));
    expect(records.filter(({ is_partial }) => is_partial).length).toBeGreaterThanOrEqual(2);
    const late = await database.sql<{ count: number }[]>`
      select count(*) from movements m
      join payments p using (merchant_id, payment_id)
      where m.kind = 'CHARGE' and m.occurred_at > p.captured_at`;
    expect(late[0]?.count).toBeGreaterThan(50);
  });

  it('shows v1 payments with all that live data has: ids that stay, details, rates, tips of cards (decision 0054)', async () => {
    const records = (await listAllSales()).records.filter(({ is_partial }) => !is_partial);
    const items = records.flatMap(({ itemizations }) => itemizations);
    const { items: offered } = await findCatalogue(database.sql, merchantId);
    const catalogue = new Map(
      offered.map(({ id, name, variations }) => [
        id,
        { name, variations: new Map(variations.map((variation) => [variation.id, variation.name])) },
      ]),
    );
    // Compared without `expect`, which takes seconds for so many.
    const isDetailed = ({ item_detail: { category_name, sku }, notes }: Record): boolean =>
      typeof category_name === 'string' && typeof sku === 'string' && notes === undefined;
    expect(items.filter((item) => !isDetailed(item))).toEqual([]);
    const sold = items.filter(({ itemization_type }) => itemization_type === 'ITEM');
    const isOffered = ({ name, item_variation_name, item_detail: { item_id, item_variation_id } }: Record): boolean =>
      catalogue.get(item_id)?.name === name &&
      catalogue.get(item_id)?.variations.get(item_variation_id) === item_variation_name;
    expect(sold.filter((item) => !isOffered(item))).toEqual([]);
    // Both locations, and their online stores, sell from one catalogue.
    expect(new Set(sold.map(({ item_detail }) => item_detail.item_id))).toEqual(new Set(catalogue.keys()));
    const [taxes, discounts, modifiers] = ['taxes', 'discounts', 'modifiers'].map((kind) =>
      items.flatMap((item) => item[kind]),
    ) as [Record[], Record[], Record[]];
    expect(taxes.filter(({ fee_id, rate }) => !(fee_id?.length === 36 && /^0\.\d{8}$/.test(rate)))).toEqual([]);
    expect(discounts.filter(({ discount_id }) => discount_id?.length !== 36)).toEqual([]);
    expect(modifiers.filter(({ modifier_option_id }) => modifier_option_id?.length !== 36)).toEqual([]);
    for (const found of [taxes, discounts, modifiers]) expect(found.length).toBeGreaterThan(100);
    const tenders = records.flatMap(({ tender }) => tender);
    expect(tenders.filter(({ type, tip_money }) => (tip_money !== undefined) !== (type === 'CREDIT_CARD'))).toEqual([]);
  });

  it('has refunds in both generations, recent ones too, whole and in part, of cards and of cash, and some that failed', async () => {
    const v2 = await listV2(`/v2/refunds?${range(now - 420 * DAY_MS, now)}`, 'refunds');
    expect(v2.pages).toBeGreaterThan(1);
    expect(new Set(v2.records.map(({ status }) => status))).toEqual(new Set(['COMPLETED', 'FAILED']));
    expect(v2.records.filter(({ created_at }) => time(created_at) > now - 60 * DAY_MS).length).toBeGreaterThan(10);
    const v1 = await listV1(`/v1/me/refunds?${lastYear()}&limit=100`);
    expect(v1.pages).toBeGreaterThan(1);
    expect(new Set(v1.records.map(({ type }) => type))).toEqual(new Set(['FULL', 'PARTIAL']));
    expect(v1.records.filter(({ created_at }) => time(created_at) > now - 60 * DAY_MS).length).toBeGreaterThan(10);
    const inV2 = new Set(v2.records.map(({ id }) => id));
    expect(v1.records.some(({ id }) => !inV2.has(id))).toBe(true);
  });

  it('has an owner and a dozen employees with roles, one of whom left', async () => {
    const { body: employees } = await get('/v1/me/employees');
    expect(employees.length).toBe(13);
    expect(employees.filter(({ status }: Record) => status === 'INACTIVE').length).toBe(1);
    expect((await get('/v1/me/roles')).body.length).toBe(3);
    expect((await listV2('/v2/employees?limit=5', 'employees')).pages).toBeGreaterThan(2);
  });

  it('has hundreds of timecards with events of all kinds, some deleted, some open now', async () => {
    const { records, pages } = await listV1('/v1/me/timecards');
    expect(pages).toBeGreaterThan(5);
    expect(records.filter(({ deleted }) => deleted).length).toBeGreaterThan(3);
    const open = records.filter(({ clockout_time, deleted }) => !clockout_time && !deleted);
    expect(open.length).toBeGreaterThanOrEqual(1);
    const deleted = records.find(({ deleted: isDeleted }) => isDeleted);
    const { body: events } = await get(`/v1/me/timecards/${deleted.id}/events`);
    expect(events.map(({ event_type }: Record) => event_type)).toEqual([
      'REGISTER_CLOCKIN',
      expect.stringMatching(/CLOCKOUT|CLOSE/),
      expect.stringMatching(/DELETE/),
    ]);
    const kinds = await database.sql<{ kind: string }[]>`select distinct kind from timecard_events`;
    expect(kinds.length).toBe(8);
  });

  it('has nobody at a register who is not clocked in there or lacks the permission, and at most one clocked in after closing', async () => {
    const strangers = await database.sql<{ at: Date; employeeId: string | null }[]>`
      with steps as (
        select merchant_id, location_id, employee_id, rung_up_at as at from sales where merchant_id = ${merchantId} and kind = 'REGISTER'
        union all
        select merchant_id, location_id, opening_employee_id, opened_at from cash_drawer_shifts where merchant_id = ${merchantId}
        union all
        select merchant_id, location_id, ending_employee_id, ended_at
        from cash_drawer_shifts
        where merchant_id = ${merchantId} and ended_at is not null
        union all
        select merchant_id, location_id, closing_employee_id, closed_at
        from cash_drawer_shifts
        where merchant_id = ${merchantId} and closed_at is not null
        union all
        select e.merchant_id, s.location_id, e.employee_id, e.created_at
        from cash_drawer_events e
        join cash_drawer_shifts s using (merchant_id, shift_id)
        where e.merchant_id = ${merchantId}
      )
      select s.at, s.employee_id
      from steps s
      left join employees e on e.merchant_id = ${merchantId} and e.employee_id = s.employee_id
      where e.role_id is null or not exists (
        select
        from timecards t
        where t.merchant_id = ${merchantId}
          and t.employee_id = s.employee_id
          and t.clockin_location_id = s.location_id
          and t.clockin_at <= s.at
          and coalesce(t.clockout_at, 'infinity') >= s.at
      )`;
    expect(strangers).toEqual([]);
    const places = (await get('/v2/locations')).body.locations as Record[];
    const { records } = await listV1('/v1/me/timecards?limit=200');
    const stayed = records.filter(({ clockin_location_id, clockout_time }) => {
      return !clockout_time && !isOpen(places.find(({ id }) => id === clockin_location_id));
    });
    expect(stayed.length).toBeLessThanOrEqual(1);
  });

  it('sells no lunch and no gin in the morning, and ships to the region of its stores', async () => {
    const records = await listRegisterSales(locationIds[1]);
    const hour = new Intl.DateTimeFormat('en-US', {
      timeZone: 'America/New_York',
      hour: 'numeric',
      hourCycle: 'h23',
    });
    const breakfasts = records.filter(({ created_at }) => Number(hour.format(time(created_at))) < 11);
    const served = breakfasts.flatMap(({ itemizations }) =>
      itemizations.map(({ item_detail }: Record) => item_detail.category_name),
    );
    expect([...new Set(served)].sort()).toEqual(['Breakfast', 'Coffee', 'Drinks']);
    const { body: orders } = await get(`/v1/${locationIds[1]}/orders?limit=100`);
    expect(new Set(orders.map(({ shipping_address }: Record) => shipping_address.locality))).toEqual(
      new Set(['Brooklyn']),
    );
  });

  it('has a cash drawer shift a day at each location, over, short and even, the last ones not counted yet', async () => {
    for (const locationId of locationIds) {
      const path = `/v2/cash-drawers/shifts?location_id=${locationId}&${range(now - 420 * DAY_MS, now)}`;
      const { records, pages } = await listV2(`${path}&limit=100`, 'items');
      expect(pages).toBeGreaterThan(3);
      const off = (sign: number): number =>
        records.filter(
          ({ closed_cash_money, expected_cash_money }) =>
            closed_cash_money && Math.sign(closed_cash_money.amount - expected_cash_money.amount) === sign,
        ).length;
      for (const sign of [-1, 0, 1]) expect(off(sign)).toBeGreaterThan(20);
      expect(records.filter(({ state }) => state !== 'CLOSED').length).toBe(1);
    }
  });

  it('has a Z report of each closed drawer, which is what adding up its sales and refunds gives, and a note of each difference', async () => {
    const { sql } = database;
    const closed = await sql<{ shiftId: string }[]>`
      select shift_id from cash_drawer_shifts
      where merchant_id = ${merchantId} and state = 'CLOSED'
      order by opened_at desc`;
    let refunds = 0;
    for (const { shiftId } of closed.slice(0, 60)) {
      const shift = ensureDefined(await findShift(sql, { merchantId, shiftId }));
      const report = await findReport(sql, merchantId, shift);
      expect(report).toMatchObject({ isStored: true, late: [] });
      expect(report.sums).toEqual(sumUp(await findDrawerFacts(sql, merchantId, shift)));
      expect(report.sums.salesCount).toBeGreaterThan(0);
      expect(shift.closingNote === null).toBe(shift.closedCash === shift.expectedCash);
      refunds += report.sums.refundsCount;
    }
    expect(refunds).toBeGreaterThan(5);
    expect(await sql`select from cash_drawer_reports where merchant_id = ${merchantId}`).toHaveLength(closed.length);
  });

  it('has daily settlements to the active account, one of which failed and was included in the next', async () => {
    const { records, pages } = await listV1(`/v1/me/settlements?${lastYear()}`);
    expect(pages).toBeGreaterThan(2);
    expect(records.length).toBeGreaterThan(600);
    const { body: accounts } = await get(`/v1/${locationIds[0]}/bank-accounts`);
    expect(accounts.length).toBe(2);
    expect(new Set(records.map(({ bank_account_id }) => bank_account_id)).size).toBe(1);
    const failed = records.filter(({ status }) => status === 'FAILED');
    expect(failed.length).toBe(1);
    const [returned] = await database.sql<{ settlementId: string | null; amount: number }[]>`
      select settlement_id, amount from movements where kind = 'RETURNED_PAYOUT'`;
    expect(returned?.amount).toBe(failed[0].total_money.amount);
    const { body: next } = await get(`/v1/me/settlements/${returned?.settlementId}`);
    expect(next.entries.map(({ type }: Record) => type)).toContain('RETURNED_PAYOUT');
  });

  it('has online orders in every state with their histories, several of them open now', async () => {
    const orders = [];
    for (const locationId of locationIds) {
      const { records, pages } = await listV1(`/v1/${locationId}/orders?limit=100`);
      expect(pages).toBeGreaterThan(1);
      expect(records.filter(({ state }) => state === 'OPEN').length).toBeGreaterThanOrEqual(2);
      orders.push(...records);
    }
    const states = new Set(orders.map(({ state }) => state));
    expect([...states].sort()).toEqual(['CANCELED', 'COMPLETED', 'OPEN', 'PENDING', 'REFUNDED', 'REJECTED']);
    const ways = new Set(
      orders.map(({ order_history }) => order_history.map(({ action }: Record) => action).join(' ')),
    );
    expect(ways.size).toBe(9); // all that exist
    expect(orders.some(({ promo_code }) => promo_code)).toBe(true);
  });

  it('has an application of the merchant whose payments came through the API', async () => {
    const [application] = await database.sql<{ applicationId: string; tokens: number; payments: number }[]>`
      select
        application_id,
        (select count(*) from access_tokens t where t.merchant_id = ${merchantId} and t.application_id = a.application_id) as tokens,
        (select count(*) from payments p where p.merchant_id = ${merchantId} and p.application_id = a.application_id) as payments
      from applications a
      where name = 'Juniper & Rye online'`;
    expect(application?.tokens).toBe(1);
    expect(application?.payments).toBeGreaterThan(500);
  });

  it('can be continued: a payment of last week can be refunded, a forgotten one captured, and every law of the books holds', async () => {
    const { body } = await get(`/v2/payments?${range(now - 14 * DAY_MS, now)}`);
    const paid = body.payments.find(({ status, refund_ids }: Record) => status === 'COMPLETED' && !refund_ids);
    const refund = await server.call('POST', '/v2/refunds', {
      token,
      body: { payment_id: paid.id, idempotency_key: 'again', amount_money: { amount: 1, currency: 'USD' } },
    });
    expect(refund.status).toBe(200);
    const { records } = await listV2(`/v2/payments?${range(now - 7 * DAY_MS, now)}`, 'payments');
    const held = records.find(({ status }) => status === 'APPROVED');
    const captured = await server.call('POST', `/v2/payments/${held.id}/complete`, { token, body: {} });
    expect(captured.body.payment.status).toBe('COMPLETED');
    expect(await findBreaches(database)).toEqual([]);
  });
});
