/**
 * `npm run bench -- --scale [--payments N]`: measures how costs grow with the data, and response times under a mixed load, and saves the
 * figures in bench/scale.json. `npm run bench -- mixed --scale` measures only the latter.
 */
import { readFile, writeFile } from 'node:fs/promises';
import postgres from 'postgres';
import { updateOldCopies } from '../dist/business/payments/copy-queries.js';
import { openDatabase } from '../dist/database/database.js';
import { measureMixed } from './scenarios/mixed.mjs';
import { manyMerchants, measureScale, toTable } from './scenarios/scale.mjs';
import { wholeNumber } from './support/arguments.mjs';
import { seed, startServer } from './support/processes.mjs';

const LATEST = new URL('./scale.json', import.meta.url);
const PAYMENTS = 1_000_000;
const SECONDS = 3;
const MIXED_SECONDS = 15;
/** At half of the highest rate, p99 is at most this many times p50. */
const MAX_SPREAD = 10;

export async function benchScale(args) {
  const payments = wholeNumber(args, 'payments', PAYMENTS);
  const before = await readFile(LATEST, 'utf8').then(JSON.parse, () => ({}));
  const situations = args.includes('mixed') ? before.situations : await withServer(benchSituations, payments, before);
  const mixed = await withServer(benchMixed, payments, before);
  // Smaller runs are only trials.
  if (payments === PAYMENTS) await writeFile(LATEST, `${JSON.stringify({ payments, situations, mixed }, null, 2)}\n`);
}

async function withServer(measure, payments, before) {
  const server = await startServer();
  try {
    return await measure(server, payments, before);
  } finally {
    await server.stop();
  }
}

async function benchSituations(server, payments, before) {
  const situations = await measureScale(server, {
    payments,
    seconds: SECONDS,
    onSituation(name, { seed_s, total_rows, megabytes, rss_mb, rows }) {
      console.log(
        `\n${name}: seeded in ${seed_s} s, ${total_rows} rows, ${megabytes} MB; the server uses ${rss_mb} MB of memory.`,
      );
      console.log(
        Object.entries(rows)
          .map(([table, count]) => `${table} ${count}`)
          .join(', '),
      );
    },
  });
  console.table(toTable(situations));
  if (before.payments === payments) {
    console.log('The last saved figures:');
    console.table(toTable(before.situations));
  }
  return situations;
}

/** As on a server that has run for a while: payments have copies of their JSON, and no vacuum is overdue. */
async function settle({ databaseUrl }) {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  const database = openDatabase(databaseUrl);
  for (const { merchant_id } of await sql`select merchant_id from merchants`) {
    while (await updateOldCopies(database, merchant_id, 10_000));
  }
  await database.close();
  await sql`vacuum analyze`;
  await sql`checkpoint`;
  await sql.end();
}

async function benchMixed(server, payments, before) {
  const { merchants } = await seed(server.dataDir, manyMerchants(payments));
  await settle(server);
  const { runs, delivered } = await measureMixed(server, merchants, { seconds: MIXED_SECONDS });
  const rss_mb = await server.memoryMb();
  const figures = runs.map(({ most, half }) => ({
    spread: Number((half.p99 / half.p50).toFixed(2)),
    max_per_s: most.perSecond,
    ...half,
    rss_mb,
  }));
  console.log(
    `\nmixed: ${merchants.length} merchants, ${delivered} webhooks delivered. Half of the highest rate, twice:`,
  );
  console.table([...figures, ...(before.payments === payments && before.mixed ? before.mixed : [])]);
  const spread = Math.max(...figures.map((each) => each.spread));
  console.log(`p99 is at most ${spread} times p50 (<= ${MAX_SPREAD}: ${spread <= MAX_SPREAD ? 'yes' : 'NO'}).`);
  const failures = runs.reduce((sum, { most, half }) => sum + most.failures + half.failures, 0);
  if (failures > 0) console.log(`${failures} requests FAILED.`);
  return figures;
}
