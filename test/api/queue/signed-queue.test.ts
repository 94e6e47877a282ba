/** What a queue may do for an employee: with a device alone nothing goes out, and what goes out is signed by a person (decision 0206). */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listAuditEvents } from '../../support/audit.js';
import { createOwner, type TestOwner } from '../../support/dashboard.js';
import { expectBooksInOrder } from '../../support/payments.js';
import {
  hire,
  OPEN_DRAWER,
  openShift,
  type PairedDevice,
  pairDevice,
  type Register,
  setPasscode,
  signInAt,
} from '../../support/people.js';
import { backdateSignIns, type KeptWrite, keep, sendQueue } from '../../support/queue.js';
import { card, cash, item, sell, usd } from '../../support/register-sales.js';
import { startTestServer, type TestServer } from '../../support/server.js';

const HOUR_MS = 3_600_000;
const now = () => new Date().toISOString();

let server: TestServer;
let owner: TestOwner;
let device: PairedDevice;
let manager: Register;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await server.stop();
});

/** A business on the real clock, whose manager is signed in at its register and has opened the drawer with $500. */
async function open(): Promise<{ readonly shiftId: string }> {
  owner = await createOwner(server);
  device = await pairDevice(server, owner);
  const permissions = [OPEN_DRAWER, 'REGISTER_ISSUE_REFUNDS'];
  manager = await signInAt(device, (await hire(server, owner, { role: { permissions } })).id);
  await owner.call('PUT', '/api/dashboard/register-settings', {
    body: { restrict_discounts: false, offline_cards: { allowed: true, limit_money: usd(10_000) } },
  });
  return { shiftId: (await openShift(manager, 50_000)).id };
}

interface Result {
  readonly status: string;
  readonly error?: { readonly code: string };
  readonly flags?: readonly { readonly code: string }[];
}

async function send(writes: readonly unknown[], sentAt = now()): Promise<(string | undefined)[][]> {
  const answer = await sendQueue({ device }, sentAt, writes);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.results.map(({ status, error, flags = [] }: Result) => [
    status,
    error?.code ?? flags.map(({ code }) => code).join(' '),
  ]);
}

const REFUSED = ['REFUSED', 'NOT_SIGNED'];

/** Every write that lets money, goods or a card go, of a shop with one sale of $10 in cash. */
async function everyWayOut(shiftId: string, more: Partial<KeptWrite> = {}): Promise<KeptWrite[]> {
  const sold = async () => (await sell(manager, { tenders: [cash()] })).payment_id;
  const parked = await sell(manager, { tenders: [cash(400)] });
  const write = (operation: string, body: Record<string, unknown>) =>
    keep(manager, operation, { occurred_at: now(), body, ...more });
  const itemizations = [item(1000)];
  return [
    write('issueRefund', { payment_id: await sold(), type: 'FULL', reason: 'Cold' }),
    write('ringUpSale', {
      itemizations,
      returns: [{ payment_id: await sold(), amount_money: usd(1000), reason: 'Cold' }],
    }),
    write('ringUpSale', { itemizations, tenders: [card()] }),
    write('paidOut', { shift_id: shiftId, amount_money: usd(5000), description: 'Milk' }),
    write('cancelSale', { sale_id: parked.id }),
  ];
}

describe('a queue with the token of the device alone', () => {
  it('lets nothing go out in the name of somebody who was signed in', async () => {
    const { shiftId } = await open();
    const before = await manager.call('GET', '/api/register/cash-drawer-shifts/open');
    const ways = await everyWayOut(shiftId, { signature: undefined });
    const drawer = async () => {
      const { body } = await manager.call('GET', '/api/register/cash-drawer-shifts/open');
      return body.cash_drawer_shift.expected_cash_money.amount;
    };
    expect(before.body.cash_drawer_shift.expected_cash_money.amount).toBe(50_000);
    const full = await drawer();
    expect(await send(ways)).toEqual(ways.map(() => REFUSED));
    expect(await drawer()).toBe(full);
  });

  it('records cash that was taken and hours that were worked, and flags them', async () => {
    await open();
    const unsigned = { occurred_at: now(), signature: undefined };
    const body = { itemizations: [item(1000)], tenders: [cash()] };
    const writes = [keep(manager, 'ringUpSale', { ...unsigned, body }), keep(manager, 'clockIn', unsigned)];
    expect(await send(writes)).toEqual(writes.map(() => ['ACCEPTED', 'NOT_SIGNED']));
  });
});

describe('a signed queue', () => {
  it('lets money go out, flags it for the owner, and records it in the audit log', async () => {
    const { shiftId } = await open();
    const ways = await everyWayOut(shiftId);
    expect(await send(ways)).toEqual([
      ['ACCEPTED', 'PAID_OUT_OFFLINE'],
      ['ACCEPTED', 'PAID_OUT_OFFLINE'],
      ['ACCEPTED', ''], // a card pays the shop
      ['ACCEPTED', 'PAID_OUT_OFFLINE'],
      ['ACCEPTED', 'PAID_OUT_OFFLINE'],
    ]);
    const events = await listAuditEvents(owner, '?kind=PAID_OUT_OFFLINE');
    const told = events.map(({ employee_id, device_id, details }) => [employee_id, device_id, details]);
    const entry = (index: number, amount: string) => [
      manager.employeeId,
      device.id,
      expect.objectContaining({ operation: ways[index]?.operation, write_id: ways[index]?.id, amount }),
    ];
    expect(told).toEqual(
      expect.arrayContaining([entry(0, '1000'), entry(1, '1000'), entry(3, '5000'), entry(4, '400')]),
    );
    expect(told).toHaveLength(4);
    const { writes } = (await owner.call('GET', '/api/dashboard/flagged-writes')).body;
    expect(writes).toHaveLength(4);
    // A retry finds what is recorded: nothing is paid, flagged or logged a second time.
    const before = await manager.call('GET', '/api/register/cash-drawer-shifts/open');
    expect((await send(ways)).every(([status]) => status === 'ACCEPTED')).toBe(true);
    expect(await listAuditEvents(owner, '?kind=PAID_OUT_OFFLINE')).toHaveLength(4);
    expect((await manager.call('GET', '/api/register/cash-drawer-shifts/open')).body).toEqual(before.body);
  });

  it('does not accept a signature for anything else than it was made for', async () => {
    const { shiftId } = await open();
    const sale = await sell(manager, { tenders: [cash()] });
    const at = { occurred_at: now() };
    const refund = (body = {}, more: Partial<KeptWrite> = {}) =>
      keep(manager, 'issueRefund', { ...at, body: { payment_id: sale.payment_id, ...partial(100), ...body }, ...more });
    const partial = (amount: number) => ({ type: 'PARTIAL', reason: 'Cold', refunded_money: usd(amount) });
    const good = refund();
    const other = await signInAt(await pairDevice(server, owner, { name: 'Till 2' }), manager.employeeId);
    const colleague = await signInAt(
      device,
      (await hire(server, owner, { role: { permissions: ['REGISTER_ISSUE_REFUNDS'] } })).id,
    );
    const { signature } = good;
    const forged = [
      { ...good, id: randomUUID() },
      { ...good, body: { ...good.body, refunded_money: usd(1000) } },
      { ...good, employee_id: colleague.employeeId },
      { ...good, occurred_at: new Date(Date.parse(good.occurred_at) - HOUR_MS).toISOString() },
      { ...good, signature: signature && { ...signature, time: new Date(Date.now() + 1000).toISOString() } },
      { ...good, signature: signature && { ...signature, value: Buffer.alloc(64).toString('base64') } },
      { ...good, signature: signature && { ...signature, value: '' } },
      { ...good, signature: signature && { ...signature, key: colleague.signingKey.publicKey } },
      { ...good, signature: signature && { ...signature, key: 'x' } },
      keep(other, 'issueRefund', { ...at, body: good.body }), // signed at another register
      { ...keep(colleague, 'issueRefund', { ...at, body: good.body }), employee_id: manager.employeeId },
    ];
    expect(await send(forged)).toEqual(forged.map(() => REFUSED));
    const paidOut = { ...good, operation: 'paidOut', body: { shift_id: shiftId, amount_money: usd(100) } };
    expect(await send([paidOut])).toEqual([REFUSED]);
    expect(await send([good])).toEqual([['ACCEPTED', 'PAID_OUT_OFFLINE']]);
  });

  it.each([
    ['the passcode changes', () => setPasscode(owner, manager.employeeId, '135790')],
    [
      'the employee is deactivated, and activated again',
      async () => {
        await owner.call('POST', `/api/dashboard/employees/${manager.employeeId}/deactivate`);
        return owner.call('POST', `/api/dashboard/employees/${manager.employeeId}/activate`);
      },
    ],
    ['the sign-in was more than seven days ago', () => backdateSignIns(server, manager.employeeId, 7 * 24 * HOUR_MS)],
  ])('is not believed any more once %s', async (_, end) => {
    const { shiftId } = await open();
    const ways = await everyWayOut(shiftId);
    await end();
    expect((await send(ways)).map(([status]) => status)).toEqual(ways.map(() => 'REFUSED'));
    const sale = keep(manager, 'ringUpSale', {
      occurred_at: now(),
      body: { itemizations: [item(1000)], tenders: [cash()] },
    });
    const [[status, flags] = []] = await send([sale]);
    expect([status, flags]).toEqual(['ACCEPTED', expect.stringMatching(/^NOT_SIGNED/)]);
  });

  it('outlives the session: who has signed out, or was signed out by time, has signed all the same', async () => {
    const { shiftId } = await open();
    const ways = await everyWayOut(shiftId);
    await manager.call('DELETE', '/api/register/session');
    expect((await send(ways)).map(([status]) => status)).toEqual(ways.map(() => 'ACCEPTED'));
  });

  it('may be signed by a register whose clock is wrong', async () => {
    await open();
    const sale = await sell(manager, { tenders: [cash()] });
    const body = { payment_id: sale.payment_id, type: 'FULL', reason: 'Cold' };
    const [wrong, right] = [new Date(Date.now() - HOUR_MS).toISOString(), now()];
    const write = keep(manager, 'issueRefund', { occurred_at: wrong, signedAt: right, body });
    expect(await send([write], wrong)).toEqual([['ACCEPTED', expect.stringContaining('PAID_OUT_OFFLINE')]]);
  });
});

describe('the key of a sign-in', () => {
  it.each([
    ['no key', 'x'],
    ['a key of another curve', 'MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEAAAA'],
    ['a private key or a certificate', Buffer.from('-----BEGIN').toString('base64')],
  ])('is refused if it is %s', async (_, signing_key) => {
    await open();
    const body = { employee_id: manager.employeeId, passcode: '246810', signing_key };
    const answer = await device.call('POST', '/api/register/session', { body });
    expect([answer.status, answer.body.errors?.[0]?.field]).toEqual([400, 'signing_key']);
  });
});
