/** The close of a busy day: a hundred thousand payments become one settlement, which is then retrieved. */
import { openDatabase } from '../../dist/database/database.js';
import { ask, httpRequest } from '../support/load.mjs';
import { median } from '../support/turns.mjs';

const PAYMENTS = 100_000;
const ROUNDS = 3;
const [MORNING, AFTER_CLOSE, AFTER_VISIBLE] = ['2020-02-21T15:00:00Z', '2020-02-21T22:00:01Z', '2020-02-22T06:00:00Z'];
/** The memory of the server must not grow with the size of the day. */
const MAX_GROWTH_MB = 30;

/**
 * Measures the request that moves the clock past the close. Baseline: an `insert ... select` of the same rows into a table with
 * the same columns and indexes. Each round has its own merchant; the result is the median.
 */
export async function closeDay(stage) {
  const { measured, baseline, growth } = await stage.once(closeDays);
  return {
    measured: { ...toFigure(PAYMENTS, measured), failures: growth > MAX_GROWTH_MB ? 1 : 0 },
    baseline: toFigure(PAYMENTS, baseline),
    ratio: measured / baseline,
    bar: { max: 2 },
  };
}

async function closeDays({ server }) {
  const database = openDatabase(server.databaseUrl, { maxConnections: 1 });
  const { sql } = database;
  await sql.unsafe('create table bare_movements (like movements including all)');
  const [closed, bare] = [[], []];
  let growth = 0;
  let merchant;
  for (let round = 0; round < ROUNDS + 1; round++) {
    merchant = await newShop(server, sql);
    const before = await server.memoryMb();
    // The order alternates, so that neither has the warmer cache.
    const steps = [
      async () => closed.push(await timeOf(() => moveClock(server, merchant, AFTER_CLOSE))),
      async () => bare.push(await timeOf(() => insertBare(sql, merchant))),
    ];
    for (const step of round % 2 === 0 ? steps : steps.reverse()) {
      await sql.unsafe('checkpoint');
      await step();
    }
    growth = round === 0 ? 0 : Math.max(growth, (await server.memoryMb()) - before);
    await requireSettled(sql, merchant);
  }
  await database.close();
  // The first round is the warm-up.
  const [measured, baseline] = [closed.slice(1), bare.slice(1)].map(median);
  return { measured, baseline, growth, merchant };
}

/** The time per entry of a settlement with a hundred thousand entries, divided by that of one with ten thousand. */
export async function retrieveSettlementDeep(stage) {
  const { server } = stage;
  const database = openDatabase(server.databaseUrl, { maxConnections: 1 });
  const [few, many] = [PAYMENTS / 10, PAYMENTS];
  const closed = stage.wants('closeDay') ? (await stage.once(closeDays)).merchant : undefined;
  const times = new Map();
  for (const size of [few, many]) {
    const merchant = (size === many && closed) || (await newShop(server, database.sql, size));
    await moveClock(server, merchant, AFTER_VISIBLE);
    const [settlement] = JSON.parse(await get(server, merchant, '/v1/me/settlements'));
    const path = `/v1/me/settlements/${settlement.id}`;
    const { entries } = JSON.parse(await get(server, merchant, path));
    if (entries.length !== size) throw new Error(`${entries.length} entries`);
    const rounds = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push(await timeOf(() => get(server, merchant, path)));
    times.set(size, median(rounds));
  }
  await database.close();
  const [measured, baseline] = [many, few].map((size) => toFigure(size, times.get(size)));
  return {
    measured: { ...measured, failures: 0 },
    baseline,
    ratio: baseline.perSecond / measured.perSecond,
    bar: { max: 1.3 },
  };
}

function get(server, { token }, path) {
  return ask(server.port, httpRequest('GET', path, token));
}

async function newShop(server, sql, payments = PAYMENTS) {
  const body = { timezone: 'America/New_York', clock: { now: MORNING, frozen: true } };
  const answer = JSON.parse(
    await ask(server.port, httpRequest('POST', '/api/sandbox/merchants', server.operatorKey, body)),
  );
  const { id, locations } = answer.merchant;
  await sql`
    insert into bank_accounts (merchant_id, bank_account_id, bank_name, name, routing_number, type,
      account_number_suffix, number_hash, currency, in_force, linked_at)
    values (${id}, 'bench', 'Bank', 'Bench', '021000021', 'CHECKING', '6789', '', 'USD', true, '2020-01-01')`;
  await sql`
    insert into movements (merchant_id, movement_id, location_id, payment_id, kind, currency, amount, fee, occurred_at)
    select ${id}, 'M' || lpad(i::text, 26, '0'), ${locations[0].id}, 'P' || lpad(i::text, 26, '0'), 'CHARGE', 'USD',
      1000, -59, ${MORNING}::text::timestamptz + i * interval '100 milliseconds'
    from generate_series(1, ${payments}::int) i`;
  await sql.unsafe('vacuum analyze movements');
  return { id, token: answer.access_token };
}

async function moveClock(server, { id }, now) {
  const path = `/api/sandbox/merchants/${id}/clock`;
  await ask(server.port, httpRequest('POST', path, server.operatorKey, { now }));
}

async function insertBare(sql, { id }) {
  await sql`
    insert into bare_movements (merchant_id, movement_id, location_id, payment_id, refund_id, kind, currency, amount, fee,
      occurred_at, settlement_id, reason)
    select merchant_id, movement_id, location_id, payment_id, refund_id, kind, currency, amount, fee, occurred_at, 'bench',
      reason
    from movements
    where merchant_id = ${id}`;
}

async function requireSettled(sql, { id }) {
  const [row] = await sql`
    select count(*)::int as settled, min(s.total) as total
    from movements join settlements s using (merchant_id, settlement_id)
    where merchant_id = ${id}`;
  if (row.settled !== PAYMENTS || row.total !== PAYMENTS * 941) throw new Error(`not settled: ${JSON.stringify(row)}`);
}

async function timeOf(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function toFigure(rows, ms) {
  return { perSecond: Math.round(rows / (ms / 1000)), p50: Math.round(ms), p99: Math.round(ms) };
}
