/** Reports: a year by day for a merchant with very many payments, against one getPayment. */
import { nowOn } from '../../dist/base/clock.js';
import { instant } from '../../dist/base/time.js';
import { updateRollUps } from '../../dist/business/reports/queries.js';
import { openDatabase } from '../../dist/database/database.js';
import { httpRequest, load } from '../support/load.mjs';
import { MANY } from '../support/size.mjs';
import { takeTurns } from '../support/turns.mjs';
import { fillRecords, OWNER } from './records.mjs';

const CONNECTIONS = 8;
const ROUNDS = 5;
const SECONDS = 1;
/** As the worker leaves it for a busy merchant: the last quarter of an hour and the time for commits are not rolled up. */
const NOT_ROLLED_UP_MS = 20 * 60_000;

export async function report(stage) {
  const { server } = stage;
  const { many } = await stage.once(fillRecords);
  await stage.once(rollUp);
  const today = new Date();
  const day = (date) => date.toISOString().slice(0, 10);
  const range = `begin_date=${day(new Date(today - 364 * 86_400_000))}&end_date=${day(today)}`;
  const session = await signIn(server);
  const year = withCookie(`/api/dashboard/reports/sales?${range}&group_by=DAY`, session);
  const payment = httpRequest('GET', `/v2/payments/P${String(MANY / 2).padStart(26, '0')}`, many.token);
  const run = (request, seconds) =>
    load({ port: server.port, connections: CONNECTIONS, seconds, request: () => request });
  for (const request of [payment, year]) await run(request, 2);
  const turns = await takeTurns(ROUNDS, { payment: () => run(payment, SECONDS), year: () => run(year, SECONDS) });
  const outcome = turns.against('year', 'payment', { max: 10 });
  return { ...outcome, ratio: turns.ratio('payment', 'year') };
}

/** Sums of a sale, besides their number. */
const SUMS = [
  'quantity',
  'gross',
  'discount',
  'tax',
  'surcharge',
  'tip',
  'collected',
  'fee',
  'refund_count',
  'refunded',
];
const REFUNDED_SUMS = ['refunded_tax', 'refunded_surcharge', 'refunded_tip', 'refunded_fee'];

/**
 * All sales are alike, so the sums of many sales are those of one sale times their number. The one sale is from the merchant whose few
 * sales are rolled up. Rolling up a million at once, which the worker never does, takes more than a minute.
 */
const ROLL_UP_MANY = `
  with sold as (
    select (created_at at time zone timezone)::date as day, extract(hour from created_at at time zone timezone)::integer::text as hour,
      count(*) as number
    from sales, (select timezone, rolled_up_to from report_progress where merchant_id = $1) as progress
    where merchant_id = $2 and created_at < rolled_up_to
    group by 1, 2
  ),
  rolled_up as (
    select distinct on (dimension) *
    from report_days
    where merchant_id = $1
    order by dimension, day
  )
  insert into report_days (merchant_id, dimension, location_id, day, key, name, count, ${[...SUMS, ...REFUNDED_SUMS].join(', ')})
  select $2::text, dimension, $3::text, sold.day, case dimension when 'HOUR' then hour else key end, max(name), sum(number),
    ${[...SUMS, ...REFUNDED_SUMS].map((name) => `max(${name} / count) * sum(number)`).join(', ')}
  from rolled_up, sold
  group by dimension, sold.day, 5`;

async function rollUp(stage) {
  const { few, many } = await stage.once(fillRecords);
  const database = openDatabase(stage.server.databaseUrl, { maxConnections: 1, hasLongTimeouts: true });
  const until = instant(nowOn({ offsetMs: 0, frozenAt: null }) - NOT_ROLLED_UP_MS);
  await database.change(few.id, async (change) => updateRollUps(change, until));
  await database.sql.unsafe(ROLL_UP_MANY, [few.id, many.id, many.locationId]);
  await database.sql.unsafe(
    `insert into report_progress (merchant_id, location_id, timezone, rolled_up_to)
    select $2, $3, timezone, rolled_up_to from report_progress where merchant_id = $1`,
    [few.id, many.id, many.locationId],
  );
  await database.sql.unsafe('vacuum analyze report_days');
  await database.close();
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
