/** Compares lists of a merchant with a million rows and one with ten thousand, on the first and the deepest page. */
import { openDatabase } from '../../dist/database/database.js';
import { httpRequest, load } from '../support/load.mjs';
import { takeTurns } from '../support/turns.mjs';
import { fillRecords } from './records.mjs';

/** The distance of the deepest page from the end, in rows. */
const FROM_END = 250;
const CONNECTIONS = 8;
const ROUNDS = 3;
const SECONDS = 0.5;

/** Pages of a hundred payments. */
export function listPaymentsDeep(stage) {
  return deep(stage, {
    operation: 'v2.listPayments',
    path: '/v2/payments',
    token: 'cursor',
    query: ({ begin, end }) => ({ sort_order: 'ASC', begin_time: begin, end_time: end }),
    table: 'payments',
    sort: ['created_at', 'payment_id'],
  });
}

/** Pages of two hundred sales, each with its tender. API sales have no receipt, so a million of them fit on a disk. */
export function v1ListPaymentsDeep(stage) {
  return deep(stage, {
    operation: 'v1.listPayments',
    path: '/v1/me/payments',
    params: { location_id: 'me' },
    token: 'batch_token',
    query: ({ begin, end }) => ({ begin_time: begin, end_time: end, limit: 200 }),
    table: 'sales',
    sort: ['created_at', 'sale_id'],
  });
}

/** Pages of two hundred timecards. */
export function listTimecardsDeep(stage) {
  return deep(stage, {
    operation: 'v1.listTimecards',
    path: '/v1/me/timecards',
    token: 'batch_token',
    query: () => ({ order: 'ASC', limit: 200 }),
    table: 'timecards',
    sort: ['created_at', 'timecard_id'],
  });
}

/** Pages of two hundred cash drawer shifts. */
export function listCashDrawerShiftsDeep(stage) {
  return deep(stage, {
    operation: 'v2.listCashDrawerShifts',
    path: '/v2/cash-drawers/shifts',
    token: 'cursor',
    query: ({ locationId }) => ({ location_id: locationId, sort_order: 'ASC' }),
    table: 'cash_drawer_shifts',
    sort: ['opened_at', 'shift_id'],
  });
}

async function deep(stage, list) {
  const { server } = stage;
  const merchants = await stage.once(fillRecords);
  const loads = {};
  for (const [size, merchant] of Object.entries(merchants)) {
    const query = list.query(merchant);
    const first = `${list.path}?${new URLSearchParams(query)}`;
    const deepest = `${list.path}?${list.token}=${await tokenNearEnd(server, merchant, list, query)}`;
    for (const [position, path] of Object.entries({ first, deepest })) {
      const request = httpRequest('GET', path, merchant.token);
      loads[`${position} of ${size}`] = (seconds = SECONDS) =>
        load({ port: server.port, connections: CONNECTIONS, seconds, request: () => request });
    }
  }
  for (const run of Object.values(loads)) await run();
  const turns = await takeTurns(ROUNDS, loads);
  // The cost of a page among a million rows divided by the cost among ten thousand; the worse of the two pages.
  const ratio = Math.max(
    turns.ratio('first of few', 'first of many'),
    turns.ratio('deepest of few', 'deepest of many'),
  );
  return { ...turns.against('deepest of many', 'deepest of few', { max: 1.3 }), ratio };
}

/** The page token that a client has after reading all pages before it. */
async function tokenNearEnd({ databaseUrl }, merchant, { operation, params = {}, table, sort: [at, id] }, query) {
  const database = openDatabase(databaseUrl, { maxConnections: 1 });
  const [row] = await database.sql.unsafe(
    `select ${at} as at, ${id} as id from ${table} where merchant_id = $1 order by ${at} desc, ${id} desc offset ${FROM_END} limit 1`,
    [merchant.id],
  );
  await database.close();
  const content = { v: 2, o: operation, p: params, q: query, n: Date.now(), a: [row.at, row.id] };
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}
