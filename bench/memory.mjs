/**
 * `npm run bench -- --memory [--minutes N] [--per-second N] [--adapter]`: the memory of a server, and of its PostgreSQL, during an hour of mixed
 * load at a steady rate that leaves it time; with --adapter, the example adapter charges the cards. It prints a line every five minutes, and
 * saves nothing: docs/performance.md has the figures.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { mixedRequests } from './scenarios/mixed.mjs';
import { OPERATIONS, send } from './scenarios/scale.mjs';
import { startReceiver } from './scenarios/webhooks.mjs';
import { wholeNumber } from './support/arguments.mjs';
import { ask, loadOpenLoop } from './support/load.mjs';
import { seed, startServer } from './support/processes.mjs';

const PROGRAM = fileURLToPath(new URL('./support/measured-server.mjs', import.meta.url));
const MINUTES = 60;
const PER_SECOND = 150;
const CONNECTIONS = 64;
const LINE_MS = 5 * 60_000;
const ADAPTER = fileURLToPath(new URL('../examples/processor-adapter/adapter.mjs', import.meta.url));
const ADAPTER_PORT = 4199;
/** Each can be refunded twenty times. The busiest merchant gets a sixth of the refunds of an hour. */
const OWN_PAYMENTS = 100;

export async function benchMemory(args) {
  const minutes = wholeNumber(args, 'minutes', MINUTES);
  const perSecond = wholeNumber(args, 'per-second', PER_SECOND);
  const adapter = args.includes('--adapter') ? await startAdapter() : undefined;
  const server = await startServer({ program: PROGRAM, flags: adapter ? ['--processor', adapter.url] : [] });
  const receiver = await startReceiver();
  try {
    const { merchants } = await seed(server.dataDir, { merchants: 200, days: 10, perDay: 10, seed: 3 });
    const refundableFrom = adapter && (await payThrough(server, merchants));
    const request = await mixedRequests(server, merchants, receiver.url, { refundableFrom });
    const options = { port: server.port, connections: CONNECTIONS, seconds: minutes * 60, perSecond };
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
    await adapter?.stop();
  }
}

/** The adapter of the examples, with a journal of its own. */
async function startAdapter() {
  const folder = await mkdtemp(join(tmpdir(), 'tillhouse-bench-adapter-'));
  process.env.TILLHOUSE_PROCESSOR_SECRET = randomBytes(32).toString('hex');
  const env = { ...process.env, PORT: String(ADAPTER_PORT), ADAPTER_JOURNAL: join(folder, 'journal.jsonl') };
  const child = spawn(process.execPath, [ADAPTER], { env, stdio: 'inherit' });
  return {
    url: `http://127.0.0.1:${ADAPTER_PORT}`,
    async stop() {
      child.kill();
      await once(child, 'exit');
      await rm(folder, { recursive: true });
    },
  };
}

/** The adapter knows no payment of the seed, so each merchant gets some that can be refunded. Returns the time of the first one. */
async function payThrough({ port }, merchants) {
  const since = new Date().toISOString();
  for (const merchant of merchants)
    await Promise.all(
      Array.from({ length: OWN_PAYMENTS }, () => ask(port, send(merchant, OPERATIONS['v2.createPayment'](merchant)))),
    );
  return since;
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
