/**
 * `npm run bench -- --memory [--minutes N]`: the memory of a server, and of its PostgreSQL, during an hour of mixed load at a steady rate that
 * leaves it time. It prints a line every five minutes, and saves nothing: docs/performance.md has the figures.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { mixedRequests } from './scenarios/mixed.mjs';
import { startReceiver } from './scenarios/webhooks.mjs';
import { wholeNumber } from './support/arguments.mjs';
import { loadOpenLoop } from './support/load.mjs';
import { seed, startServer } from './support/processes.mjs';

const PROGRAM = fileURLToPath(new URL('./support/measured-server.mjs', import.meta.url));
const MINUTES = 60;
const PER_SECOND = 150;
const CONNECTIONS = 64;
const LINE_MS = 5 * 60_000;

export async function benchMemory(args) {
  const minutes = wholeNumber(args, 'minutes', MINUTES);
  const server = await startServer({ program: PROGRAM });
  const receiver = await startReceiver();
  try {
    const { merchants } = await seed(server.dataDir, { merchants: 200, days: 10, perDay: 10, seed: 3 });
    const request = await mixedRequests(server, merchants, receiver.url);
    const options = { port: server.port, connections: CONNECTIONS, seconds: minutes * 60, perSecond: PER_SECOND };
    let isOver = false;
    const loaded = loadOpenLoop({ ...options, request }).finally(() => {
      isOver = true;
    });
    const since = performance.now();
    while (!isOver) {
      await Promise.race([sleep(LINE_MS), loaded]);
      console.log(`${((performance.now() - since) / 60_000).toFixed(0)} min:`, await measure(server));
    }
    console.log(await loaded, `${await receiver.received()} webhooks delivered.`);
  } finally {
    await receiver.stop();
    await server.stop();
  }
}

/** In megabytes. `heap` is what is left after a collection of garbage; `postgres` is the own memory of all its processes. */
async function measure({ dataDir, tell }) {
  const { rss, heapUsed, external } = await tell({});
  return { rss: toMb(rss), heap: toMb(heapUsed), external: toMb(external), postgres: await postgresMb(dataDir) };
}

async function postgresMb(dataDir) {
  const [postmaster] = (await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n');
  let kilobytes = 0;
  for (const pid of await readdir('/proc')) {
    const status = /^\d+$/.test(pid) ? await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '') : '';
    const [, parent] = /PPid:\s+(\d+)/.exec(status) ?? [];
    if (pid === postmaster || parent === postmaster) kilobytes += Number(/RssAnon:\s+(\d+)/.exec(status)?.[1] ?? 0);
  }
  return Math.round(kilobytes / 1000);
}

const toMb = (bytes) => Math.round(bytes / 1_000_000);
