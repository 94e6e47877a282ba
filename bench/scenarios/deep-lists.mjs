/** Compares lists of a merchant with a million rows and one with ten thousand, on the first and the deepest page. */
import { openDatabase } from '../../dist/database/database.js';
import { ask, httpRequest, load } from '../support/load.mjs';

const [FEW, MANY] = [10_000, 1_000_000];
/** The distance of the deepest page from the end, in rows. */
const FROM_END = 250;

/** The stored format, which has the field names of v2. */
const CARD = JSON.stringify({
  card: {
    ...{ card_brand: 'VISA', last_4: '5858', exp_month: 12, exp_year: 2032, fingerprint: 'sq-1-bench' },
    ...{ card_type: 'CREDIT', prepaid_type: 'NOT_PREPAID', bin: '453275' },
  },
  ...{ entry_method: 'KEYED', cvv_status: 'CVV_ACCEPTED', avs_status: 'AVS_ACCEPTED' },
});

/** Rows are twenty seconds apart; `$1` is the merchant, `$2` the location, `$3` the number of rows. */
const EACH_ROW = `from generate_series(1, $3::int) i,
  lateral (select timestamptz '2025-01-01' + i * interval '20 seconds' as t) as at`;

const PAYMENTS = `insert into payments (merchant_id, payment_id, sale_id, location_id, channel, application_id, status, source_type,
    created_at, updated_at, captured_at, currency, amount, total, fee, card_brand, last_4, card_details, details)
  select $1, 'P' || lpad(i::text, 26, '0'), 'P' || lpad(i::text, 26, '0'), $2, 'API', 'bench', 'COMPLETED', 'CARD', t, t, t,
    'USD', 1000, 1000, 59, 'VISA', '5858', '${CARD}'::json, '{"order_id":"bench"}'::json ${EACH_ROW}`;

/** Pages of a hundred payments. */
export async function listPaymentsDeep(server, options) {
  return deep(server, options, {
    operation: 'v2.listPayments',
    path: '/v2/payments',
    token: 'cursor',
    query: () => ({ sort_order: 'ASC', begin_time: '2024-01-01', end_time: '2027-01-01' }),
    table: 'payments',
    sort: ['created_at', 'payment_id'],
    fill: PAYMENTS,
  });
}

/** Pages of two hundred sales, each with its tender. API sales have no receipt, so a million of them fit on a disk. */
export async function v1ListPaymentsDeep(server, options) {
  return deep(server, options, {
    operation: 'v1.listPayments',
    path: '/v1/me/payments',
    params: { location_id: 'me' },
    token: 'batch_token',
    query: () => ({ begin_time: '2025-01-01', end_time: '2026-01-01', limit: 200 }),
    table: 'sales',
    sort: ['created_at', 'sale_id'],
    fill: `with tenders as (${PAYMENTS} returning sale_id, location_id, captured_at)
      insert into sales (merchant_id, sale_id, location_id, kind, state, created_at)
      select $1, sale_id, location_id, 'API', 'COMPLETED', captured_at
      from tenders`,
  });
}

/** Pages of two hundred timecards. */
export async function listTimecardsDeep(server, options) {
  return deep(server, options, {
    operation: 'v1.listTimecards',
    path: '/v1/me/timecards',
    token: 'batch_token',
    query: () => ({ order: 'ASC', limit: 200 }),
    table: 'timecards',
    sort: ['created_at', 'timecard_id'],
    fill: `with employee as (
        insert into employees (merchant_id, employee_id, first_name, last_name, location_ids, status, is_owner, created_at,
          updated_at)
        values ($1, gen_random_uuid(), 'A', 'B', array[$2]::text[], 'ACTIVE', false, now(), now())
        returning employee_id
      )
      insert into timecards (merchant_id, timecard_id, employee_id, clockin_at, clockout_at, deleted, created_at, updated_at)
      select $1, gen_random_uuid(), employee_id, t, t + interval '8 hours', false, t, t + interval '8 hours'
      from employee, (select i, t ${EACH_ROW}) as each_row`,
  });
}

/** Pages of two hundred cash drawer shifts. */
export async function listCashDrawerShiftsDeep(server, options) {
  return deep(server, options, {
    operation: 'v2.listCashDrawerShifts',
    path: '/v2/cash-drawers/shifts',
    token: 'cursor',
    query: ({ locationId }) => ({ location_id: locationId, sort_order: 'ASC' }),
    table: 'cash_drawer_shifts',
    sort: ['opened_at', 'shift_id'],
    fill: `insert into cash_drawer_shifts (merchant_id, shift_id, location_id, device_id, device_name, state, opened_at,
        ended_at, closed_at, opening_employee_id, employee_ids, currency, opened_cash, closed_cash)
      select $1, gen_random_uuid(), $2, 'bench', 'Till', 'CLOSED', t, t, t, gen_random_uuid(), '{}', 'USD', 1000, 1000
      ${EACH_ROW}`,
  });
}

async function deep(server, { seconds }, list) {
  const database = openDatabase(server.databaseUrl, { maxConnections: 1 });
  const merchants = { few: await newMerchant(server), many: await newMerchant(server) };
  for (const [size, rows] of [
    ['few', FEW],
    ['many', MANY],
  ]) {
    const { id, locationId } = merchants[size];
    await database.sql.unsafe(list.fill, [id, locationId, rows]);
  }
  await database.sql.unsafe('vacuum analyze');
  const results = {};
  for (const [size, merchant] of Object.entries(merchants)) {
    const query = list.query(merchant);
    const first = `${list.path}?${new URLSearchParams(query)}`;
    const deepest = `${list.path}?${list.token}=${await tokenNearEnd(database, merchant, list, query)}`;
    for (const [position, path] of [
      ['first', first],
      ['deepest', deepest],
    ]) {
      const request = httpRequest('GET', path, merchant.token);
      const run = (duration) => load({ port: server.port, connections: 8, seconds: duration, request: () => request });
      await run(1);
      results[`${position}_${size}`] = await run(seconds);
    }
  }
  await database.close();
  // The cost of a page among a million rows divided by the cost among ten thousand; the worse of the two pages.
  const ratio = Math.max(
    results.first_few.perSecond / results.first_many.perSecond,
    results.deepest_few.perSecond / results.deepest_many.perSecond,
  );
  return { measured: results.deepest_many, baseline: results.deepest_few, ratio, bar: { max: 1.3 } };
}

/** The page token that a client has after reading all pages before it. */
async function tokenNearEnd(database, merchant, { operation, params = {}, table, sort: [at, id] }, query) {
  const [row] = await database.sql.unsafe(
    `select ${at} as at, ${id} as id from ${table} where merchant_id = $1 order by ${at} desc, ${id} desc offset ${FROM_END} limit 1`,
    [merchant.id],
  );
  const content = { v: 2, o: operation, p: params, q: query, n: Date.now(), a: [row.at, row.id] };
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}

export async function newMerchant(server) {
  const answer = JSON.parse(
    await ask(server.port, httpRequest('POST', '/api/sandbox/merchants', server.operatorKey, {})),
  );
  return { id: answer.merchant.id, token: answer.access_token, locationId: answer.merchant.locations[0].id };
}
