/** Starts the processes that are measured: the server on embedded PostgreSQL, and the baselines. */
import { fork, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import postgres from 'postgres';
import { SERVER_ROLE, SUPERUSER } from '../../dist/database/embedded/connection.js';
import { borrowEmbedded } from '../../dist/database/embedded/embedded.js';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** A server with full durability (the embedded PostgreSQL's defaults) on a data folder of its own. */
export async function startServer() {
  const dataDir = await mkdtemp(join(tmpdir(), 'tillhouse-bench-'));
  // Without the demo's history: scenarios bring their own rows and lists begin empty.
  const child = spawn(
    process.execPath,
    [MAIN, 'serve', '--port', '0', '--data-dir', dataDir, '--log-level', 'error', '--demo-history', 'off'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  await new Promise((resolve, reject) => {
    child.stdout.once('data', resolve);
    child.once('exit', () => reject(new Error('the server did not start')));
  });
  let demo;
  while (!demo) demo = await readFile(join(dataDir, 'demo.json'), 'utf8').then(JSON.parse, () => undefined);
  const { url } = await borrowEmbedded({ dataDir });
  await allowCheckpoints(url, dataDir);
  return {
    dataDir,
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
    async stop() {
      child.kill('SIGTERM');
      await new Promise((resolve) => child.once('exit', resolve));
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Scenarios write what is in memory to the disk before they measure, which the server itself never does. */
async function allowCheckpoints(url, dataDir) {
  const password = (await readFile(join(dataDir, 'postgres-password'), 'utf8')).trim();
  const sql = postgres(url, { user: SUPERUSER, password, max: 1, onnotice: () => {} });
  await sql.unsafe(`grant pg_checkpoint to ${SERVER_ROLE}`);
  await sql.end();
}

/** Makes businesses beside the server on that folder; answers what `tillhouse seed` tells of them. */
export async function seed(dataDir, { merchants, days, perDay, seed: number }) {
  const size = ['--merchants', merchants, '--days', days, '--payments-per-day', perDay, '--seed', number].map(String);
  const child = spawn(process.execPath, [MAIN, 'seed', ...size, '-o', 'json', '--data-dir', dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let told = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    told += text;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`tillhouse seed ended with ${code}`);
  return JSON.parse(told);
}

/** A Fastify route that answers these bytes from a Buffer: what the framework and the machine allow. */
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

/** Runs a script that measures by itself, in a process of its own, and gives what it tells. */
export async function measureIn(name, input) {
  const child = fork(fileURLToPath(new URL(name, import.meta.url)));
  const result = await new Promise((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', () => reject(new Error(`${name} ended without a result`)));
    child.send(input);
  });
  child.kill();
  return result;
}
