/**
 * `npm run bench -- --growth [--payments N]`: how many bytes a payment adds to the tables and to PostgreSQL's log, in a database of N payments,
 * and how many rows and index entries it writes. It prints tables in Markdown, and saves nothing: docs/scaling.md has the figures.
 */

import { KINDS, openKinds } from './scenarios/growth.mjs';
import { manyMerchants } from './scenarios/scale.mjs';
import { wholeNumber } from './support/arguments.mjs';
import { seed, startServer } from './support/processes.mjs';
import { Wal } from './support/wal.mjs';

const DEFAULT = 200_000;
/** Of each kind. */
const MEASURED = 1_000;

export async function benchGrowth(args) {
  const payments = wholeNumber(args, 'payments', DEFAULT, { least: 0 });
  process.env.TILLHOUSE_SECRETS_KEY ??= Buffer.alloc(32, 7).toString('base64');
  const server = await startServer();
  const wal = await Wal.open(server);
  try {
    if (payments > 0) await seed(server.dataDir, manyMerchants(payments));
    const kinds = await openKinds(server);
    const results = {};
    for (const kind of KINDS) results[kind] = await measure(wal, kinds[kind]);
    await kinds.close();
    print(payments, results);
  } finally {
    await wal.close();
    await server.stop();
  }
}

async function measure(wal, { prepare, create }) {
  await prepare?.(MEASURED * 1.1);
  await create(MEASURED / 10); // opens connections and pages
  const before = await wal.read();
  await create(MEASURED);
  return Wal.difference(before, await wal.read(), MEASURED);
}

function print(payments, results) {
  console.log(`\nFor each of ${MEASURED}, in a database of ${payments} payments:\n`);
  printTable(
    [
      '',
      'rows inserted',
      'updated',
      'of them HOT',
      'deleted',
      'index entries',
      'log, bytes',
      'and full pages',
      'tables',
      'indexes',
      'TOAST',
    ],
    Object.entries(results).map(([kind, { rows, entries, log, pages, bytes }]) => [
      kind,
      ...[rows.inserted, rows.updated, rows.hot, rows.deleted, entries].map((value) => value.toFixed(1)),
      ...[log, pages, bytes.table, bytes.indexes, bytes.toast].map((value) => value.toFixed(0)),
    ]),
  );
  for (const [kind, { byTable }] of Object.entries(results)) {
    console.log(`\n${kind}, by table:\n`);
    printTable(
      ['', 'inserted', 'updated', 'HOT', 'deleted', 'table', 'indexes', 'TOAST'],
      Object.entries(byTable).map(([table, { inserted, updated, hot, deleted, ...bytes }]) => [
        table,
        ...[inserted, updated, hot, deleted].map((value) => value.toFixed(2)),
        ...[bytes.table, bytes.indexes, bytes.toast].map((value) => value.toFixed(0)),
      ]),
    );
  }
}

function printTable(head, rows) {
  for (const row of [head, head.map(() => '---'), ...rows]) console.log(`| ${row.join(' | ')} |`);
}
