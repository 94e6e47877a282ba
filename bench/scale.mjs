/** `npm run bench -- --scale [--payments N]`: measures how costs grow with the data, and saves the figures in bench/scale.json. */
import { readFile, writeFile } from 'node:fs/promises';
import { measureScale, toTable } from './scenarios/scale.mjs';
import { startServer } from './support/processes.mjs';

const LATEST = new URL('./scale.json', import.meta.url);
const PAYMENTS = 1_000_000;
const SECONDS = 3;

export async function benchScale(args) {
  const at = args.indexOf('--payments');
  const payments = at < 0 ? PAYMENTS : Number(args[at + 1]);
  if (!Number.isInteger(payments) || payments < 1) throw new Error('--payments must be a positive whole number.');
  const before = await readFile(LATEST, 'utf8').then(JSON.parse, () => undefined);
  const server = await startServer();
  try {
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
    if (before?.payments === payments) {
      console.log('The last saved figures:');
      console.table(toTable(before.situations));
    }
    // Smaller runs are only trials.
    if (payments === PAYMENTS) await writeFile(LATEST, `${JSON.stringify({ payments, situations }, null, 2)}\n`);
  } finally {
    await server.stop();
  }
}
