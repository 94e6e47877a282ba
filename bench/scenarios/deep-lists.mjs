/** Lists of a merchant with a million rows against one with ten thousand, at the first page and the deepest. */
import { openDatabase } from '../../dist/database/database.js';
import { ask, httpRequest, load } from '../support/load.mjs';

const [FEW, MANY] = [10_000, 1_000_000];

/** Pages of a hundred payments; `itself` with few rows is the baseline. */
export async function listPaymentsDeep(server, options) {
  return deep(server, options, {
    fill: fillPayments,
    path: '/v2/payments?sort_order=ASC&begin_time=2024-01-01&end_time=2027-01-01',
  });
}

async function deep(server, { seconds }, { fill, path }) {
  const few = await newMerchant(server);
  const many = await newMerchant(server);
  const database = openDatabase(server.databaseUrl, { maxConnections: 1 });
  await fill(database, few, FEW);
  await fill(database, many, MANY);
  await database.sql.unsafe('vacuum analyze payments');
  await database.close();
  const results = {};
  for (const where of ['first', 'deepest']) {
    for (const [size, merchant] of [
      ['few', few],
      ['many', many],
    ]) {
      const first = httpRequest('GET', path, merchant.token);
      const request = where === 'first' ? first : await lastPage(server, merchant, path);
      const run = (duration) => load({ port: server.port, connections: 8, seconds: duration, request: () => request });
      await run(1);
      results[`${where}_${size}`] = await run(seconds);
    }
  }
  // The cost of a page with a million rows, as a multiple of the cost with ten thousand; the worse of the two places.
  const ratio = Math.max(
    results.first_few.perSecond / results.first_many.perSecond,
    results.deepest_few.perSecond / results.deepest_many.perSecond,
  );
  return { measured: results.deepest_many, baseline: results.deepest_few, ratio, bar: { most: 1.3 } };
}

/** A cursor just before the end, made the way a client would get it: from the page before. */
async function lastPage(server, merchant, path) {
  const database = openDatabase(server.databaseUrl, { maxConnections: 1 });
  const [row] = await database.sql`
    select created_at, payment_id from payments where merchant_id = ${merchant.id}
    order by created_at desc, payment_id desc offset 150 limit 1`;
  await database.close();
  const page = JSON.parse(await ask(server.port, httpRequest('GET', path, merchant.token)));
  const token = JSON.parse(Buffer.from(page.cursor, 'base64url'));
  token.a = [row.createdAt, row.paymentId];
  const cursor = Buffer.from(JSON.stringify(token)).toString('base64url');
  return httpRequest('GET', `/v2/payments?cursor=${cursor}`, merchant.token);
}

async function newMerchant(server) {
  const answer = JSON.parse(await ask(server.port, httpRequest('POST', '/sandbox/merchants', server.operatorKey, {})));
  return { id: answer.merchant.id, token: answer.access_token, locationId: answer.merchant.locations[0].id };
}

async function fillPayments(database, { id, locationId }, rows) {
  await database.sql.unsafe(
    `insert into payments (merchant_id, payment_id, sale_id, location_id, application_id, status, source_type, created_at,
       updated_at, captured_at, currency, amount, total, fee, card_brand, last_4, card, details)
     select $1, 'P' || lpad(i::text, 26, '0'), 'P' || lpad(i::text, 26, '0'), $2, 'bench', 'COMPLETED', 'CARD', t, t, t, 'USD',
       1000, 1000, 59, 'VISA', '5858',
       '{"brand":"VISA","last4":"5858","expMonth":12,"expYear":2032,"fingerprint":"sq-1-bench","type":"CREDIT","prepaidType":"NOT_PREPAID","bin":"453275","entryMethod":"KEYED","cvvStatus":"CVV_ACCEPTED","avsStatus":"AVS_ACCEPTED"}'::json,
       '{"orderId":"bench"}'::json
     from generate_series(1, $3::int) i, lateral (select timestamptz '2025-01-01' + i * interval '20 seconds' as t) x`,
    [id, locationId, rows],
  );
}
