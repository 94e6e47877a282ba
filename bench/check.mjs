/**
 * `npm run bench -- --check [--payments N]`: how long `tillhouse check` takes, whole and after a change of one percent, in a database of N
 * payments of many merchants, and how long a backup takes and how large it is. It prints seconds, and the slowest laws.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { manyMerchants } from './scenarios/scale.mjs';
import { wholeNumber } from './support/arguments.mjs';
import { httpRequest, load } from './support/load.mjs';
import { seed, startServer } from './support/processes.mjs';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const DEFAULT = 1_000_000;
const CHANGED_SHARE = 0.01;
const CONNECTIONS = 16;
const SLOWEST = 5;

export async function benchCheck(args) {
  const payments = wholeNumber(args, 'payments', DEFAULT);
  const server = await startServer();
  try {
    const { merchants } = await seed(server.dataDir, manyMerchants(payments));
    print(`whole check of ${payments} payments`, await check(server.dataDir, ['--full']));
    print('nothing has changed', await check(server.dataDir, []));
    const made = await pay(server, merchants, Math.ceil(payments * CHANGED_SHARE));
    print(`after ${made} payments of ${merchants.length} merchants`, await check(server.dataDir, []));
    await benchBackup(server.dataDir);
  } finally {
    await server.stop();
  }
}

/** Every merchant in turn gets a payment. */
async function pay({ port }, merchants, count) {
  const stop = new AbortController();
  let made = 0;
  const request = () => {
    const { access_token: token } = merchants[made++ % merchants.length];
    if (made >= count) stop.abort();
    const body = {
      source_id: 'cnon:card-nonce-ok',
      idempotency_key: randomUUID(),
      amount_money: { amount: 1000, currency: 'USD' },
    };
    return httpRequest('POST', '/v2/payments', token, body);
  };
  const { failures } = await load({ port, connections: CONNECTIONS, signal: stop.signal, request });
  if (failures > 0) throw new Error(`${failures} payments failed`);
  return made;
}

async function benchBackup(dataDir) {
  const file = join(dataDir, 'bench.backup');
  const { seconds } = await run(dataDir, ['backup', file]);
  const { size } = await stat(file);
  console.log(`backup: ${seconds.toFixed(1)} s, ${(size / 1e6).toFixed(0)} MB`);
}

const check = (dataDir, flags) => run(dataDir, ['check', '--verbose', ...flags]);

async function run(dataDir, args) {
  const since = performance.now();
  const child = spawn(process.execPath, [MAIN, ...args, '--data-dir', dataDir]);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`tillhouse ${args[0]} exited with code ${code}: ${output}`);
  return { seconds: (performance.now() - since) / 1000, output };
}

function print(what, { seconds, output }) {
  const skipped = output.split('\n').find((line) => line.includes('were not read again')) ?? '';
  console.log(`${what}: ${seconds.toFixed(1)} s. ${skipped}`);
  // The slowest first.
  for (const line of output
    .split('\n')
    .filter((each) => /^ *\d+\.\d\d s /.test(each))
    .slice(0, SLOWEST))
    console.log(line);
}
