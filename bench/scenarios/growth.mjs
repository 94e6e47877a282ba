/** What is measured for its growth: payments of applications by the simulator and by an adapter, refunds, and sales at registers. */
import { execFile, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ask, httpRequest, load } from '../support/load.mjs';
import { newMerchant } from '../support/merchants.mjs';

const MERCHANTS = 16;
const CONNECTIONS = 8; // the adapter syncs its journal twice for each call
const ADAPTER = fileURLToPath(new URL('../../examples/processor-adapter/adapter.mjs', import.meta.url));
const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

export const KINDS = ['payment, simulator', 'payment, adapter', 'refund', 'sale at a register, by card'];

/** Each kind is a function that creates a number of them, of several merchants in turn. */
export async function openKinds(server) {
  const adapter = await startAdapter();
  const merchants = await newMerchants(server);
  const adapted = await newMerchants(server);
  for (const { id } of adapted) await chooseAdapter(server, id, adapter);
  const registers = [];
  for (const { id, locationId } of merchants) registers.push(await openRegister(server, id, locationId));
  const paid = [];
  return {
    'payment, simulator': {
      create: (count) => send(server, count, (turn) => payment(merchants[turn % MERCHANTS].token)),
    },
    'payment, adapter': { create: (count) => send(server, count, (turn) => payment(adapted[turn % MERCHANTS].token)) },
    refund: {
      async prepare(count) {
        while (paid.length < count) await Promise.all(merchants.map((merchant) => addPaid(server, merchant, paid)));
      },
      create: (count) => send(server, count, () => refund(paid.pop())),
    },
    'sale at a register, by card': {
      create: (count) => send(server, count, (turn) => sale(registers[turn % MERCHANTS])),
    },
    close: () => adapter.stop(),
  };
}

async function newMerchants(server) {
  const merchants = [];
  while (merchants.length < MERCHANTS) merchants.push(await newMerchant(server));
  return merchants;
}

async function send({ port }, count, request) {
  let turn = 0;
  const stop = new AbortController();
  const next = () => {
    const bytes = request(turn++);
    if (turn > count - CONNECTIONS) stop.abort(); // each connection has one more in flight
    return bytes;
  };
  const { failures } = await load({ port, connections: CONNECTIONS, signal: stop.signal, request: next });
  if (failures > 0) throw new Error(`${failures} requests failed`);
}

const payment = (token) =>
  httpRequest('POST', '/v2/payments', token, {
    source_id: 'cnon:card-nonce-ok',
    idempotency_key: randomUUID(),
    amount_money: { amount: 1000, currency: 'USD' },
    note: 'bench',
  });

async function addPaid({ port }, { token }, paid) {
  const created = JSON.parse(await ask(port, payment(token)));
  paid.push({ token, id: created.payment.id });
}

const refund = ({ token, id }) =>
  httpRequest('POST', '/v2/refunds', token, {
    payment_id: id,
    idempotency_key: randomUUID(),
    amount_money: { amount: 400, currency: 'USD' },
  });

/** Three items, with a tax. */
const sale = ({ headers }) =>
  withHeaders(headers, '/api/register/sales', {
    id: randomUUID(),
    itemizations: ['Latte', 'Cortado', 'Croissant'].map((name) => ({ name, single_quantity_money: { amount: 350 } })),
    tenders: [{ id: randomUUID(), type: 'CARD', source_id: 'cnon:card-nonce-ok' }],
  });

function withHeaders(headers, path, body) {
  const text = JSON.stringify(body);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${lines.join('')}content-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}

async function openRegister({ port, operatorKey }, id, locationId) {
  const path = `/api/sandbox/merchants/${id}/registers`;
  const opened = JSON.parse(await ask(port, httpRequest('POST', path, operatorKey, { location_id: locationId })));
  return {
    headers: { authorization: `Bearer ${opened.device_token}`, 'tillhouse-employee-session': opened.session },
  };
}

/** The example adapter. It answers at once. */
async function startAdapter() {
  const folder = await mkdtemp(join(tmpdir(), 'tillhouse-adapter-'));
  const secret = randomBytes(32).toString('hex');
  const secretFile = join(folder, 'secret');
  await writeFile(secretFile, secret);
  const env = { PATH: process.env.PATH, PORT: '0', ADAPTER_JOURNAL: join(folder, 'journal.jsonl') };
  const child = spawn(process.execPath, [ADAPTER], {
    env: { ...env, TILLHOUSE_PROCESSOR_SECRET: secret },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  const [, port] = /:(\d+)\s*$/.exec(String(line));
  return {
    url: `http://127.0.0.1:${port}`,
    secretFile,
    async stop() {
      child.kill();
      await once(child, 'exit');
      await rm(folder, { recursive: true });
    },
  };
}

async function chooseAdapter({ dataDir }, id, { url, secretFile }) {
  const flags = ['--processor', url, '--secret-file', secretFile, '--data-dir', dataDir];
  await promisify(execFile)(process.execPath, [MAIN, 'merchant', 'processor', 'set', id, ...flags]);
}
