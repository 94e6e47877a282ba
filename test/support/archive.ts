/** A business with a finished year, and everything that can be read about it. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { REPORT_GROUPS } from '../../src/business/reports/model.js';
import { REGISTER_PERMISSIONS } from '../../src/identity/permissions.js';
import { runHere } from './commands.js';
import type { TestOwner } from './dashboard.js';
import type { ApiResponse } from './http.js';
import { walkV1, walkV2 } from './lists.js';
import { expect200, openStore, placePaid, type TestStore, update } from './orders.js';
import { advance, approve, CARD, cancelByKey, type Json, pay, refund, tryToPay, usd } from './payments.js';
import { closeShift, endShift, mainLocation, openBusiness, openShift, type Register } from './people.js';
import type { Result } from './process.js';
import { card, cash, item, sell, type WireSale } from './register-sales.js';
import { letRollUp } from './roll-up.js';
import type { TestServer } from './server.js';
import { hold, linkAccount, release } from './settlements.js';

const OPENED = '2024-03-04T15:00:00Z';
/** Everything that `openPastBusiness` made is older than a year by then. */
const NOW_IN_YEARS = 'P20M';
export const BEFORE = '2025-01-01';
const RANGE = { begin_time: '2024-02-01T00:00:00Z', end_time: '2025-01-31T00:00:00Z' };

export interface ShopOfThePast {
  readonly owner: TestOwner;
  readonly till: Register;
  readonly store: TestStore;
}

export interface PastBusiness extends ShopOfThePast {
  /** Bodies of payments, and the responses that they got. */
  readonly sent: readonly { readonly body: Json; readonly id: string }[];
  readonly sales: readonly WireSale[];
  readonly drawers: readonly string[];
  readonly orderIds: readonly string[];
}

export async function openShopOfThePast(server: TestServer): Promise<ShopOfThePast> {
  const merchant = {
    clock: { now: OPENED, frozen: true },
    locations: [{ name: 'Corner', timezone: 'America/New_York' }],
  };
  const { owner, register: till } = await openBusiness(server, merchant, {
    role: { permissions: REGISTER_PERMISSIONS },
  });
  await linkAccount(owner);
  return { owner, till, store: await openStore(server, owner.merchant) };
}

/** Days of sales of every kind, all finished, settled and paid out. */
export async function openPastBusiness(server: TestServer, days = 3): Promise<PastBusiness> {
  const { owner, till, store } = await openShopOfThePast(server);
  const { merchant } = owner;
  const sent: { body: Json; id: string }[] = [];
  const sales: WireSale[] = [];
  const [drawers, orderIds]: [string[], string[]] = [[], []];
  for (let day = 0; day < days; day++) {
    const drawer = await openShift(till);
    for (const amount of [1000, 2000, 3000]) {
      const body = {
        idempotency_key: randomUUID(),
        amount_money: usd(amount),
        source_id: CARD,
        buyer_email_address: 'ana@example.com',
      };
      sent.push({ body, id: (await pay(server, merchant, body)).id });
    }
    const [first = sent.at(-1), second = first] = sent.slice(-2);
    await refund(server, merchant, { id: first?.id ?? '' }, { amount_money: usd(300) });
    const disputed = second?.id ?? '';
    expect((await hold(server, merchant, disputed)).status).toBe(200);
    expect((await tryToPay(server, merchant, { source_id: 'cnon:card-nonce-declined' })).status).toBe(400);
    const voided = await approve(server, merchant);
    expect((await server.call('POST', `/v2/payments/${voided.id}/cancel`, { token: merchant.token })).status).toBe(200);
    const key = randomUUID();
    await pay(server, merchant, { idempotency_key: key });
    expect((await cancelByKey(server, merchant, key)).status).toBe(200);
    sales.push(await sell(till, { itemizations: [item(1500, { quantity: '2' })], tenders: [card(1000), cash()] }));
    const cashSale = await sell(till, { tenders: [cash()] });
    sales.push(cashSale);
    const back = { payment_id: cashSale.payment_id, type: 'FULL', reason: 'Stale' };
    expect((await till.write('/api/register/refunds', back)).status).toBe(200);
    const order = await placePaid(store);
    orderIds.push(order.id);
    expect200(await update(server, store, order, 'COMPLETE'));
    await advance(server, merchant, 'PT1H');
    expect((await release(server, merchant, disputed)).status).toBe(200);
    await endShift(till, drawer.id);
    await closeShift(till, drawer.id);
    drawers.push(drawer.id);
    await advance(server, merchant, 'P1D');
  }
  await advance(server, merchant, NOW_IN_YEARS);
  await letRollUp(server, owner);
  return { owner, till, store, sent, sales, drawers, orderIds };
}

export function runArchive({ databaseUrl }: TestServer, ...flags: string[]): Promise<Result> {
  return runHere(['archive', '--database-url', databaseUrl, ...flags]);
}

export interface Archived {
  readonly moved: number;
  readonly stayed: Readonly<Record<string, number>>;
}

/** Archives, and expects success. */
export async function archive(
  server: TestServer,
  { owner }: Pick<PastBusiness, 'owner'>,
  ...flags: string[]
): Promise<Archived> {
  const args = ['--before', BEFORE, '--merchant', owner.merchant.id, '-o', 'json', ...flags];
  const { code, stdout, stderr } = await runArchive(server, ...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const { moved, stayed } = JSON.parse(stdout);
  return { moved, stayed };
}

/** How many rows of the merchant are in each of the tables of the archive. */
export async function countArchived(
  { database: { sql } }: { readonly database: Pick<TestServer['database'], 'sql'> },
  merchantId: string,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of ['sales', 'payments', 'movements', 'refunds', 'holds', 'orders']) {
    const [row] = await sql<{ count: number }[]>`
      select count(*) from ${sql(`${table}_archive`)} where merchant_id = ${merchantId}`;
    counts[table] = row?.count ?? 0;
  }
  return counts;
}

const text = (answer: ApiResponse): string => expect200(answer).text;

/** The text of every list, page, record and report of the business, by what was asked. */
export async function readEverything(server: TestServer, business: PastBusiness): Promise<Record<string, string>> {
  const { owner, till, orderIds, drawers, sales, sent } = business;
  const { merchant } = owner;
  const location = mainLocation(merchant);
  const found: Record<string, string> = {};
  const get = (path: string) => server.call('GET', path, { token: merchant.token });
  const keep = (path: string, pages: readonly ApiResponse[]) => {
    found[path] = pages.map(text).join('\n');
  };
  for (const path of listsV1(location)) {
    keep(path, await walkV1({ get, path: path.split('?')[0] ?? '', parameters: parametersOf(path) }));
  }
  for (const path of listsV2(location)) {
    keep(path, await walkV2({ get, path: path.split('?')[0] ?? '', parameters: parametersOf(path) }));
  }
  const ids = (path: string): string[] =>
    (found[path] ?? '').split('\n').flatMap((page) => [...page.matchAll(/"id":"([^"]+)"/g)].map(([, id = '']) => id));
  const settlements = listsV1(location).find((path) => path.includes('/settlements')) ?? '';
  const records = [
    ...sent.flatMap(({ id }) => [`/v2/payments/${id}`, `/v1/${location}/payments/${id}`]),
    ...sales.map(({ payment_id }) => `/v1/${location}/payments/${payment_id}`),
    ...orderIds.map((id) => `/v1/${location}/orders/${id}`),
    ...new Set(ids(settlements).map((id) => `/v1/${location}/settlements/${id}`)),
    ...drawers.map((id) => `/v1/${location}/cash-drawer-shifts/${id}`),
  ];
  for (const path of records) keep(path, [await get(path)]);
  const receipts = [...sent.map(({ id }) => id), ...sales.map(({ payment_id }) => payment_id)];
  for (const id of receipts)
    keep(`/receipts/${id}`, [await server.call('GET', `/receipts/${id}?merchant=${merchant.id}`)]);
  for (const path of dashboardPaths(business)) keep(path, [await owner.call('GET', path)]);
  for (const id of drawers) {
    const path = `/api/register/cash-drawer-shifts/${id}/report`;
    keep(path, [await till.call('GET', path)]);
  }
  return found;
}

const parametersOf = (path: string) => Object.fromEntries(new URLSearchParams(path.split('?')[1] ?? ''));
const withQuery = (path: string, parameters: Record<string, string>) => `${path}?${new URLSearchParams(parameters)}`;

function listsV1(location: string): string[] {
  return ['ASC', 'DESC'].flatMap((order) => [
    withQuery('/v1/me/payments', { ...RANGE, order, limit: '7' }),
    withQuery(`/v1/${location}/payments`, { ...RANGE, order, limit: '7', include_partial: 'true' }),
    withQuery('/v1/me/refunds', { ...RANGE, order, limit: '2' }),
    withQuery(`/v1/${location}/refunds`, { ...RANGE, order }),
    withQuery('/v1/me/settlements', { ...RANGE, order, limit: '1' }),
    withQuery(`/v1/${location}/orders`, { order, limit: '1' }),
  ]);
}

function listsV2(location_id: string): string[] {
  const changed = {
    updated_at_begin_time: RANGE.begin_time,
    updated_at_end_time: RANGE.end_time,
    sort_field: 'UPDATED_AT',
  };
  return ['ASC', 'DESC'].flatMap((sort_order) => [
    ...[{}, { location_id }, { total: '2000' }, { last_4: '5858' }, { card_brand: 'VISA' }].map((filter) =>
      withQuery('/v2/payments', { ...RANGE, sort_order, limit: '5', ...filter }),
    ),
    withQuery('/v2/payments', { ...changed, sort_order, limit: '5' }),
    ...[{}, { location_id }, { status: 'COMPLETED' }].map((filter) =>
      withQuery('/v2/refunds', { ...RANGE, sort_order, limit: '2', ...filter }),
    ),
    withQuery('/v2/refunds', { ...changed, sort_order, limit: '2' }),
    withQuery(`/v2/locations/${location_id}/transactions`, { ...RANGE, sort_order }),
  ]);
}

function dashboardPaths({ sent, sales, orderIds, drawers }: PastBusiness): string[] {
  const days = { begin_date: '2024-02-01', end_date: '2025-01-31' };
  return [
    ...[{}, { search: '20.00' }, { search: '5858' }, { refunded: 'true' }].map((filter) =>
      withQuery('/api/dashboard/sales', { ...days, ...filter }),
    ),
    ...[...sent.map(({ id }) => id), ...sales.map(({ id }) => id)].map((id) => `/api/dashboard/sales/${id}`),
    ...REPORT_GROUPS.map((group_by) => withQuery('/api/dashboard/reports/sales', { ...days, group_by })),
    '/api/dashboard/orders',
    ...orderIds.map((id) => `/api/dashboard/orders/${id}`),
    '/api/dashboard/disputes',
    withQuery('/api/dashboard/uncaptured-payments', RANGE),
    withQuery('/api/dashboard/settlements', RANGE),
    '/api/dashboard/balance',
    withQuery('/api/dashboard/cash-drawer-shifts', RANGE),
    ...drawers.map((id) => `/api/dashboard/cash-drawer-shifts/${id}`),
    withQuery('/api/dashboard/cash-outside-drawers', RANGE),
  ];
}
