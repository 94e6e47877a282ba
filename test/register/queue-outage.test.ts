/** Two tablets and two servers on one database that goes away again and again: each sale is recorded exactly once. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { findBreaches } from '../../src/check/check.js';
import { createOwner, type TestOwner } from '../support/dashboard.js';
import { hire, openShift, pairDevice, type Register, signInAt } from '../support/people.js';
import { item } from '../support/register-sales.js';
import { cloneDatabase, startTestServer, type TestDatabase, type TestServer } from '../support/server.js';
import { Wire } from '../support/wire.js';
import { isOutage, Network, TestTablet } from './device.js';

/** What happens to the database while the tablets sell and send. */
const OUTAGES = ['refuse', 'pass', 'hang', 'pass', 'refuse', 'pass'] as const;
const PAUSE_MS = 700;

let database: TestDatabase;
let wire: Wire;
let servers: [TestServer, TestServer];
let owner: TestOwner;
let network: Network;

beforeAll(async () => {
  database = await cloneDatabase();
  const direct = new URL(database.url);
  wire = await Wire.start(Number(direct.port));
  direct.port = String(wire.port);
  const databaseUrl = direct.href;
  servers = [await startTestServer({ databaseUrl }), await startTestServer({ databaseUrl })];
  owner = await createOwner(servers[0]);
  network = new Network(...servers.map(({ baseUrl }) => baseUrl));
  vi.stubGlobal('fetch', network.fetch);
});
afterAll(async () => {
  vi.unstubAllGlobals();
  await wire.become('pass');
  for (const server of servers) await server.stop();
  await wire.stop();
  await database.drop();
});

/** Sells one after another until it is over, and sends what waits in between. Returns the ids of the sales. */
async function work(tablet: TestTablet, isOver: () => boolean): Promise<string[]> {
  const ids: string[] = [];
  while (!isOver()) {
    const id = randomUUID();
    ids.push(id);
    const tenders = [{ id: randomUUID(), type: 'CASH' }];
    await tablet.send('ringUpSale', { id, itemizations: [item(100)], tenders });
    if (ids.length % 3 === 0) {
      await tablet.sendAll().catch((error: unknown) => {
        if (!isOutage(error)) throw error;
      });
    }
    await sleep(60);
  }
  return ids;
}

async function open(name: string): Promise<{ register: Register; tablet: TestTablet }> {
  const { id } = await hire(servers[0], owner, { role: { is_owner: true } });
  const register = await signInAt(await pairDevice(servers[0], owner, { name }), id);
  await openShift(register, 1000);
  return { register, tablet: new TestTablet(register, network) };
}

it('outages of the database lose no sale and double none', async () => {
  const tills = [await open('One'), await open('Two')];
  let isOver = false;
  const working = Promise.all(tills.map(({ tablet }) => work(tablet, () => isOver)));
  for (const state of OUTAGES) {
    await sleep(PAUSE_MS);
    await wire.become(state);
  }
  await sleep(PAUSE_MS);
  isOver = true;
  const sold = await working;
  for (const [at, { register, tablet }] of tills.entries()) {
    await vi.waitFor(() => tablet.sendAll(), { timeout: 30_000, interval: 200 });
    expect(await tablet.writes()).toEqual([]);
    const { sql } = servers[1].database;
    const sales = await sql<{ id: string; paid: number }[]>`
      select register_sale_id as id, paid::int from sales
      where merchant_id = ${owner.merchant.id} and device_id = ${register.device.id}`;
    const ids = sold[at] ?? [];
    expect(ids.length).toBeGreaterThan(OUTAGES.length);
    expect(sales.map(({ id, paid }) => [id, paid]).sort()).toEqual(ids.map((id) => [id, 100]).sort());
    const [shift] = await sql<{ cash: number }[]>`
      select expected_cash::int as cash from cash_drawer_shifts
      where merchant_id = ${owner.merchant.id} and device_id = ${register.device.id}`;
    expect(shift?.cash).toBe(1000 + 100 * ids.length);
  }
  expect(await findBreaches(servers[0].database)).toEqual([]);
});
