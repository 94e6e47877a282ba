/** The queue of a register: what is refused, what the server fails about, and what is kept. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { toRefused } from '../../web/register/core/queue/model.js';
import { createOwner, type TestOwner } from '../support/dashboard.js';
import { hire, pairDevice, type Register, signInAt } from '../support/people.js';
import { card, cash, DECLINED, item } from '../support/register-sales.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { isOutage, Network, TestTablet } from './device.js';

let server: TestServer;
let owner: TestOwner;
let employeeId: string;
let network: Network;
let register: Register;
let tablet: TestTablet;

beforeAll(async () => {
  server = await startTestServer();
  owner = await createOwner(server);
  employeeId = (await hire(server, owner, { role: { is_owner: true } })).id;
  network = new Network(server.baseUrl);
  vi.stubGlobal('fetch', network.fetch);
});
afterAll(async () => {
  vi.unstubAllGlobals();
  await server.stop();
});
beforeEach(async () => {
  network.heal();
  register = await signInAt(await pairDevice(server, owner, { name: randomUUID().slice(0, 8) }), employeeId);
  tablet = new TestTablet(register, network);
});

const sale = (more: Record<string, unknown> = {}) => ({ itemizations: [item(500)], tenders: [cash()], ...more });
/** A total that the server does not compute. */
const WRONG = { total_money: { amount: 1 } };

async function countSales(): Promise<number> {
  const [found] = await server.database.sql<{ count: number }[]>`
    select count(*)::int from sales where merchant_id = ${owner.merchant.id} and device_id = ${register.device.id}`;
  return found?.count ?? 0;
}

it('keeps nothing of a write that is refused at once', async () => {
  await expect(tablet.send('ringUpSale', sale(WRONG))).rejects.toMatchObject({ status: 400 });
  expect(await tablet.writes()).toEqual([]);
  expect(await tablet.send('ringUpSale', sale())).toMatchObject({ status: 'DONE' });
  expect(await countSales()).toBe(1);
});

it('sends writes in order, and a refused one does not hold up the others', async () => {
  network.isUp = false;
  const wrong = randomUUID();
  await tablet.send('ringUpSale', sale());
  await tablet.send('ringUpSale', { id: wrong, ...sale(WRONG) });
  await tablet.send('ringUpSale', sale());
  network.isUp = true;
  // A write that is made now waits for those before it, and is sent with them.
  expect(await tablet.send('ringUpSale', sale())).toMatchObject({ status: 'DONE' });
  const left = await tablet.writes();
  expect(left.map(({ id, error }) => [id, error?.field])).toEqual([[wrong, 'total_money']]);
  expect(await countSales()).toBe(3);

  await tablet.stored.retry(wrong);
  await tablet.sendAll();
  expect(await tablet.writes()).toHaveLength(1);
  await tablet.stored.discard(wrong);
  expect(await tablet.writes()).toEqual([]);
});

it('sets a write aside after the server has failed on it repeatedly', async () => {
  network.isUp = false;
  const id = randomUUID();
  await tablet.send('ringUpSale', sale());
  await tablet.send('ringUpSale', { id, ...sale() });
  await tablet.send('ringUpSale', sale());
  network.isUp = true;
  network.poison = id;
  for (let attempt = 1; attempt < 5; attempt++)
    await expect(tablet.tab().sendAll()).rejects.toMatchObject({ status: 500 });
  expect(await countSales()).toBe(1);
  await tablet.tab().sendAll();
  expect((await tablet.writes()).map((write) => [write.id, write.failures])).toEqual([[id, 5]]);
  expect(await countSales()).toBe(2);
  network.heal();
  await tablet.stored.retry(id);
  await tablet.sendAll();
  expect([await tablet.writes(), await countSales()]).toEqual([[], 3]);
});

it('keeps all writes of a device that the owner has removed', async () => {
  expect((await owner.call('DELETE', `/api/dashboard/devices/${register.device.id}`)).status).toBe(200);
  expect(await tablet.send('ringUpSale', sale())).toMatchObject({ status: 'QUEUED' });
  await expect(tablet.sendAll()).rejects.toMatchObject({ status: 401 });
  expect(await tablet.writes()).toHaveLength(1);
});

it('sends in the name of the person whose session has ended', async () => {
  await register.call('DELETE', '/api/register/session');
  expect(await tablet.send('ringUpSale', sale())).toMatchObject({ status: 'DONE' });
  expect(await countSales()).toBe(1);
});

it('shows a card that is declined later with its open sale', async () => {
  network.plan(['is lost']);
  const id = randomUUID();
  await tablet.send('ringUpSale', {
    id,
    itemizations: [item(500)],
    tenders: [card(undefined, { source_id: DECLINED })],
  });
  await tablet.sendAll();
  const [left] = await tablet.writes();
  expect(left).toMatchObject({ id, error: { code: expect.any(String) }, response: { sale: { state: 'OPEN' } } });
  // It is paid with cash instead, by the id that the register chose.
  expect(await tablet.send('takeTender', { sale_id: id, type: 'CASH' })).toMatchObject({
    status: 'DONE',
    response: { sale: { state: 'COMPLETED' } },
  });
});

it('deletes the source of a card when the server has refused the write, and not before', async () => {
  const tenders = [card()];
  network.isUp = false;
  const [wrong, failing] = [randomUUID(), randomUUID()];
  await tablet.send('ringUpSale', { id: wrong, ...sale({ ...WRONG, tenders }) });
  await tablet.send('ringUpSale', { id: failing, ...sale({ tenders: [card()] }) });
  network.isUp = true;
  network.poison = failing;
  for (let attempt = 1; attempt < 5; attempt++)
    await expect(tablet.tab().sendAll()).rejects.toMatchObject({ status: 500 });
  await tablet.tab().sendAll();
  const [refused, undecided] = toRefused(await tablet.writes());
  expect(refused).toMatchObject({ write: { id: wrong }, canRetry: false });
  expect(JSON.stringify(refused)).not.toContain('cnon:');
  expect(undecided).toMatchObject({ write: { id: failing }, canRetry: true });
  network.heal();
  await tablet.stored.retry(failing);
  await tablet.sendAll();
  expect(await countSales()).toBe(1);
});

it('charges a cart once', async () => {
  const cart = { id: randomUUID(), lines: [], discounts: [], returns: [] };
  const { employeeId: person, session } = register;
  const sign = async (_: unknown, time: string) => ({ key: 'k', time, value: 'v' });
  const given = { id: cart.id, operation: 'ringUpSale', employeeId: person, body: sale() } as const;
  const write = { ...given, sign, session, cart };
  await expect(tablet.tab().send(write)).rejects.toMatchObject({ code: 'ALREADY_CHARGED' });
  expect(await tablet.writes()).toEqual([]);
  expect(isOutage(new Error())).toBe(false);
});
