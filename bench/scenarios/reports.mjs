/** Reports: a year by day for a merchant with very many payments, against one getPayment. */
import { nowOn, realNow } from '../../dist/base/clock.js';
import { instant } from '../../dist/base/time.js';
import { updateRollUps } from '../../dist/business/reports/queries.js';
import { openDatabase } from '../../dist/database/database.js';
import { ask, httpRequest, load } from '../support/load.mjs';

/** BENCH_PAYMENTS=100000 makes the preparation shorter. The cost of a report does not depend on it. */
const PAYMENTS = Number(process.env.BENCH_PAYMENTS ?? 1_000_000);
const CONNECTIONS = 8;
const OWNER = { email: 'owner@bench.example', password: 'correct horse battery' };
/** As the worker leaves it for a busy merchant: the last quarter of an hour and the time for commits are not rolled up. */
const NOT_ROLLED_UP_MS = 20 * 60_000;

/** Payments of the last year, evenly spread until now, each with its sale. */
const FILL = `with tenders as (
    insert into payments (merchant_id, payment_id, sale_id, location_id, channel, application_id, status, source_type, created_at,
      updated_at, captured_at, currency, amount, tip, total, fee, card_brand, last_4, card_details, details)
    select $1, 'P' || lpad(i::text, 26, '0'), 'P' || lpad(i::text, 26, '0'), $2, 'API', 'bench', 'COMPLETED', 'CARD', t, t, t,
      'USD', 1000, 100, 1100, 62, 'VISA', '5858', '{}'::json, '{"order_id":"bench"}'::json
    from generate_series(1, $3::int) i,
      lateral (select now() - interval '365 days' * (i::float8 / $3::int) as t) as at
    returning sale_id, location_id, captured_at
  )
  insert into sales (merchant_id, sale_id, location_id, kind, state, created_at)
  select $1, sale_id, location_id, 'API', 'COMPLETED', captured_at
  from tenders`;

export async function report(server, { seconds }) {
  const { merchant, access_token: token } = JSON.parse(
    await ask(server.port, httpRequest('POST', '/api/sandbox/merchants', server.operatorKey, { owner: OWNER })),
  );
  const database = openDatabase(server.databaseUrl, { maxConnections: 1, hasLongTimeouts: true });
  await database.sql.unsafe(FILL, [merchant.id, merchant.locations[0].id, PAYMENTS]);
  await database.sql.unsafe('vacuum analyze');
  const until = instant(nowOn({ offsetMs: 0, frozenAt: null }) - NOT_ROLLED_UP_MS);
  const started = realNow();
  await database.change(merchant.id, async (change) => updateRollUps(change, until));
  console.log(`report: ${PAYMENTS} payments were rolled up in ${((realNow() - started) / 1000).toFixed(1)} s`);
  await database.sql.unsafe('vacuum analyze');
  await database.close();

  const today = new Date();
  const day = (date) => date.toISOString().slice(0, 10);
  const range = `begin_date=${day(new Date(today - 364 * 86_400_000))}&end_date=${day(today)}`;
  const session = await signIn(server);
  const year = withCookie(`/api/dashboard/reports/sales?${range}&group_by=DAY`, session);
  const payment = httpRequest(
    'GET',
    `/v2/payments/${'P'.padEnd(21, '0')}${String(PAYMENTS / 2).padStart(6, '0')}`,
    token,
  );
  const run = (request, duration) =>
    load({ port: server.port, connections: CONNECTIONS, seconds: duration, request: () => request });
  for (const request of [payment, year]) await run(request, 2);
  const baseline = await run(payment, seconds);
  const measured = await run(year, seconds);
  if (baseline.failures + measured.failures > 0) throw new Error('a request of the report scenario failed');
  return { measured, baseline, ratio: baseline.perSecond / measured.perSecond, bar: { max: 10 } };
}

async function signIn({ port }) {
  const response = await fetch(`http://127.0.0.1:${port}/api/dashboard/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: `http://127.0.0.1:${port}` },
    body: JSON.stringify(OWNER),
  });
  if (!response.ok) throw new Error(`signing in failed: ${response.status}`);
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

function withCookie(path, cookie) {
  return Buffer.from(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncookie: ${cookie}\r\n\r\n`);
}
