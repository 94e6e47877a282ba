/** Starts the measured processes: the server with embedded PostgreSQL, and the baselines. */
import { fork, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { SERVER_ROLE, SUPERUSER } from '../../dist/database/embedded/connection.js';
import { shareEmbedded } from '../../dist/database/embedded/embedded.js';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/**
 * Starts a server with full durability (the defaults of the embedded PostgreSQL) on its own data folder. `program` replaces its program by
 * one that responds to `tell`. `flags` are added to those of `tillhouse serve`.
 */
export async function startServer({ program, flags = [] } = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'tillhouse-bench-'));
  // Without the demo's history: scenarios insert their own rows and lists are empty at first.
  const child = spawn(
    process.execPath,
    [
      ...[program ?? MAIN, 'serve', '--port', '0', '--data-dir', dataDir, '--log-level', 'error'],
      ...['--demo-history', 'off', ...flags],
    ],
    {
      stdio: ['ignore', 'pipe', 'inherit', ...(program ? ['ipc'] : [])],
    },
  );
  await new Promise((resolve, reject) => {
    child.stdout.once('data', resolve);
    child.once('exit', () => reject(new Error('the server did not start')));
  });
  let demo;
  while (!demo) demo = await readFile(join(dataDir, 'demo.json'), 'utf8').then(JSON.parse, () => undefined);
  const { url } = await shareEmbedded({ dataDir });
  await allowCheckpoints(url, dataDir);
  return {
    dataDir,
    pid: child.pid,
    port: Number(new URL(demo.base_url).port),
    token: demo.access_token,
    operatorKey: demo.operator_key,
    merchantId: demo.merchant_id,
    locationId: demo.location_ids[0],
    databaseUrl: url,
    memoryMb: async () => {
      const text = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
      return Math.round(Number(/VmRSS:\s+(\d+)/.exec(text)?.[1] ?? 0) / 1024);
    },
    tell: (message) =>
      new Promise((resolve) => {
        child.once('message', resolve);
        child.send(message);
      }),
    async stop() {
      child.kill('SIGTERM');
      if (child.connected) child.disconnect(); // an open channel would keep the process alive
      await new Promise((resolve) => child.once('exit', resolve));
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Scenarios run a checkpoint before they measure; the role of the server has no right to do so. */
async function allowCheckpoints(url, dataDir) {
  const password = (await readFile(join(dataDir, 'postgres-password'), 'utf8')).trim();
  const sql = postgres(url, { user: SUPERUSER, password, max: 1, onnotice: () => {} });
  await sql.unsafe(`grant pg_checkpoint to ${SERVER_ROLE}`);
  await sql.end();
}

/** Runs `tillhouse seed` on the data folder of a running server, and returns its JSON output. */
export async function seed(dataDir, { merchants, days, perDay, seed: number }) {
  const size = ['--merchants', merchants, '--days', days, '--payments-per-day', perDay, '--seed', number].map(String);
  const child = spawn(process.execPath, [MAIN, 'seed', ...size, '-o', 'json', '--data-dir', dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`tillhouse seed exited with code ${code}`);
  return JSON.parse(output);
}

/** Starts a Fastify server that returns these bytes from a Buffer: the limit of framework and machine. */
export async function startBytes(body) {
  const child = fork(fileURLToPath(new URL('./bytes-server.mjs', import.meta.url)));
  const port = await new Promise((resolve) => {
    child.once('message', resolve);
    child.send(body.toString('base64'));
  });
  return {
    port,
    async stop() {
      child.kill();
      await new Promise((resolve) => child.once('exit', resolve));
    },
  };
}

/** Starts the baseline of writes: the bare driver in its own process. */
export async function startBareWrites({ databaseUrl, merchantId, locationId }, { inFlight }) {
  const child = fork(fileURLToPath(new URL('./bare-writes.mjs', import.meta.url)));
  child.send({ databaseUrl, merchantId, locationId, inFlight });
  return {
    run: (seconds) =>
      new Promise((resolve, reject) => {
        child.once('message', resolve);
        child.once('exit', reject);
        child.send({ seconds });
      }),
    async stop() {
      child.removeAllListeners('exit');
      child.kill();
      await new Promise((resolve) => child.once('exit', resolve));
    },
  };
}

/** Runs a measuring script in its own process, and returns its result. */
export async function measureIn(name, input) {
  const child = fork(fileURLToPath(new URL(name, import.meta.url)));
  const result = await new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', () => reject(new Error(`${name} exited without a result`)));
    child.send(input);
  });
  child.kill();
  return result;
}
