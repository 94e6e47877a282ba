/** Measures how the cost of each operation grows: in an empty database, among a thousand merchants, for one big merchant. */
import { randomUUID } from 'node:crypto';
import { ask, httpRequest, load } from '../support/load.mjs';
import { seed } from '../support/processes.mjs';
import { countRows } from '../support/rows.mjs';

const CONNECTIONS = 8;
const MERCHANTS = 1000;
const DAYS = 30;
/** The minimum per merchant; a trial with fewer payments has fewer merchants. */
const MIN_PAYMENTS = 100;

/** The number of payments of a merchant that are requested in turn. */
const PAYMENTS = 500;

/** Fixed seeds, so that runs can be compared. */
const SEEDS = { empty: 1, merchants: 2, big: 3 };

/** The measured operations, with page sizes that every merchant can fill; `own` has the ids from `findOwn`. */
export const OPERATIONS = {
  'v2.listPayments': () => ['GET', '/v2/payments'],
  'v2.getPayment': ({ own }) => ['GET', `/v2/payments/${pick(own.payments)}`],
  'v2.createPayment': () => [
    'POST',
    '/v2/payments',
    { source_id: 'cnon:card-nonce-ok', idempotency_key: randomUUID(), amount_money: { amount: 1000, currency: 'USD' } },
  ],
  'v2.refundPayment': ({ own }) => refundOf(own.refundable),
  'v2.listRefunds': () => ['GET', '/v2/refunds'],
  'v1.listPayments': () => ['GET', '/v1/me/payments?limit=100&order=DESC'],
  'v1.retrievePayment': ({ own }) => ['GET', `/v1/me/payments/${pick(own.sales)}`],
  'v1.listRefunds': () => ['GET', '/v1/me/refunds?limit=25&order=DESC'],
  'v1.listOrders': ({ own }) => ['GET', `/v1/${own.location}/orders?limit=25&order=DESC`],
  'v1.retrieveOrder': ({ own }) => ['GET', `/v1/${own.location}/orders/${pick(own.orders)}`],
  'v1.listSettlements': () => ['GET', '/v1/me/settlements?limit=25&order=DESC'],
  'v1.retrieveSettlement': ({ own }) => ['GET', `/v1/me/settlements/${pick(own.settlements)}`],
  'v1.listTimecards': () => ['GET', '/v1/me/timecards?limit=50&order=DESC'],
  'v1.createTimecard': ({ own }) => [
    'POST',
    '/v1/me/timecards',
    {
      employee_id: pick(own.employees),
      clockin_time: '2020-01-01T09:00:00Z',
      clockout_time: '2020-01-01T17:00:00Z',
    },
  ],
  'v2.listCashDrawerShifts': ({ own }) => ['GET', `/v2/cash-drawers/shifts?location_id=${own.location}&limit=25`],
  'v2.retrieveCashDrawerShift': ({ own }) => [
    'GET',
    `/v2/cash-drawers/shifts/${pick(own.shifts)}?location_id=${own.location}`,
  ],
  'v1.listEmployees': () => ['GET', '/v1/me/employees'],
  'v1.createEmployee': () => ['POST', '/v1/me/employees', { first_name: 'Ada', last_name: 'Bench' }],
};

/** A refund of one cent. */
const refundOf = (refundable) => [
  'POST',
  '/v2/refunds',
  { payment_id: takeInTurn(refundable), idempotency_key: randomUUID(), amount_money: { amount: 1, currency: 'USD' } },
];

const pick = (items) => items[Math.floor(Math.random() * items.length)];

/** In turn and not at random: a payment can have at most twenty refunds. */
function takeInTurn(items) {
  items.push(items.shift());
  return items.at(-1);
}

/** `tillhouse seed` for a thousand merchants with a month of payments each. */
export function manyMerchants(payments) {
  const merchants = Math.min(MERCHANTS, Math.ceil(payments / MIN_PAYMENTS));
  return { merchants, days: DAYS, perDay: Math.ceil(payments / merchants / DAYS), seed: SEEDS.merchants };
}

/** Measures all operations in three situations; calls `onSituation` after each. */
export async function measureScale(server, { payments, seconds, onSituation }) {
  const situations = {
    empty: { merchants: 1, days: DAYS, perDay: 33, seed: SEEDS.empty },
    merchants: manyMerchants(payments),
    big: { merchants: 1, days: 365, perDay: Math.ceil(payments / 365), seed: SEEDS.big },
  };
  const results = {};
  for (const [name, size] of Object.entries(situations)) {
    const startedAt = performance.now();
    const seeded = await seed(server.dataDir, size);
    const seedSeconds = Math.round((performance.now() - startedAt) / 100) / 10;
    const merchant = await findOwn(server, seeded.merchants[Math.floor(seeded.merchants.length / 2)]);
    const operations = {};
    for (const [operation, request] of Object.entries(OPERATIONS)) {
      operations[operation] = await measure(server, { seconds, request: () => send(merchant, request(merchant)) });
    }
    const { rows, total, megabytes } = await countRows(server.databaseUrl);
    results[name] = {
      seed_s: seedSeconds,
      rss_mb: await server.memoryMb(),
      total_rows: total,
      megabytes,
      rows,
      operations,
    };
    onSituation(name, results[name]);
  }
  return results;
}

async function measure({ port }, { seconds, request }) {
  await load({ port, connections: CONNECTIONS, seconds: seconds / 3, request });
  const { perSecond, p50, p99, failures } = await load({ port, connections: CONNECTIONS, seconds, request });
  return { per_s: perSecond, p50_ms: p50, p99_ms: p99, failures };
}

export const send = ({ access_token }, [method, path, body]) => httpRequest(method, path, access_token, body);

/** Adds the ids of records that the operations request. */
async function findOwn({ port }, merchant) {
  const get = async (path) => JSON.parse(await ask(port, send(merchant, ['GET', path])));
  const location = merchant.location_ids[0];
  const payments = [];
  for (let cursor; payments.length < PAYMENTS; ) {
    const page = await get(`/v2/payments${cursor ? `?cursor=${encodeURIComponent(cursor)}` : ''}`);
    payments.push(...page.payments);
    cursor = page.cursor;
    if (!cursor) break;
  }
  const { items: shifts } = await get(`/v2/cash-drawers/shifts?location_id=${location}`);
  const ids = async (path) => (await get(path)).map(({ id }) => id);
  return {
    ...merchant,
    own: {
      location,
      payments: payments.map(({ id }) => id),
      refundable: findRefundable(payments),
      shifts: shifts.map(({ id }) => id),
      sales: await ids('/v1/me/payments?order=DESC'),
      orders: await ids(`/v1/${location}/orders?order=DESC`),
      settlements: await ids('/v1/me/settlements?order=DESC'),
      employees: await ids('/v1/me/employees'),
    },
  };
}

/** The ids of payments that can be refunded cent by cent. */
export function findRefundable(payments) {
  return payments
    .filter(({ status, refund_ids, total_money }) => status === 'COMPLETED' && !refund_ids && total_money.amount > 500)
    .map(({ id }) => id);
}

/** One line per operation: its time in each situation, and the factor compared with the empty database. */
export function toTable({ empty, ...others }) {
  return Object.fromEntries(
    Object.entries(empty.operations).map(([operation, first]) => [
      operation,
      {
        empty: `${first.p50_ms} ms`,
        ...Object.fromEntries(
          Object.entries(others).map(([name, { operations }]) => {
            const figure = operations[operation];
            return [name, `${figure.p50_ms} ms (x ${(figure.p50_ms / first.p50_ms).toFixed(2)})`];
          }),
        ),
        failures: [empty, ...Object.values(others)].reduce((sum, each) => sum + each.operations[operation].failures, 0),
      },
    ]),
  );
}
