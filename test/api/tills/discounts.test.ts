/** Discounts at a register: if the merchant restricts them, employees need the permission (decision 0110). */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findAuditEvent } from '../../support/audit.js';
import { createOwner, type TestOwner } from '../../support/dashboard.js';
import type { ApiResponse } from '../../support/http.js';
import { hire, type PairedDevice, pairDevice, type Register, signInAt } from '../../support/people.js';
import { backdateSignIns, keep, sendQueue } from '../../support/queue.js';
import { cash, item, tryToSell } from '../../support/register-sales.js';
import { startTestServer, type TestServer } from '../../support/server.js';

const SETTINGS = '/api/dashboard/register-settings';
const HOUR_MS = 3_600_000;

let server: TestServer;
let owner: TestOwner;
let device: PairedDevice;
let cashier: Register;
let manager: Register;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** A business on the real clock, with one register at which both employees are signed in. */
async function open(restrict: boolean): Promise<void> {
  owner = await createOwner(server);
  device = await pairDevice(server, owner);
  cashier = await signInAt(device, (await hire(server, owner, { role: { permissions: [] } })).id);
  const role = { permissions: ['REGISTER_APPLY_RESTRICTED_DISCOUNTS'] };
  manager = await signInAt(device, (await hire(server, owner, { role })).id);
  if (restrict) await set(true);
}

async function set(restrict_discounts: boolean): Promise<void> {
  const answer = await owner.call('PUT', SETTINGS, { body: { restrict_discounts } });
  expect([answer.status, answer.body]).toMatchObject([200, { restrict_discounts }]);
}

const OFF = [{ name: 'Happy hour', rate: '0.5' }];
const FREE: Readonly<Record<string, Record<string, unknown>>> = {
  'on the sale': { discounts: OFF },
  'on an item': { itemizations: [item(1000, { discounts: OFF })] },
  'of an amount': { discounts: [{ name: 'Coupon', amount_money: { amount: 10 } }] },
  'that calls itself unrestricted': { discounts: [{ ...OFF[0], restricted: false }] },
  'with an id': { discounts: [{ ...OFF[0], discount_id: 'D1' }] },
};
const paid = (body: Record<string, unknown>) => ({ tenders: [cash()], ...body });
const refusal = ({ status, body }: ApiResponse) => [status, body.errors?.[0]?.code];

async function sendLate(register: Register, agoMs: number, body: Record<string, unknown> = { discounts: OFF }) {
  const occurred_at = new Date(Date.now() - agoMs).toISOString();
  return tryToSell(register, { ...paid(body), occurred_at });
}

const backdate = (register: Register, byMs: number) => backdateSignIns(server, register.employeeId, byMs);

describe('a merchant that does not restrict discounts', () => {
  it('is the default until the owner changes it', async () => {
    await open(false);
    expect((await owner.call('GET', SETTINGS)).body).toMatchObject({ restrict_discounts: false });
    for (const body of Object.values(FREE)) expect((await tryToSell(cashier, paid(body))).status).toBe(200);
    const restrictedSale = paid({ discounts: [{ ...OFF[0], restricted: true }] });
    expect(refusal(await tryToSell(cashier, restrictedSale))).toEqual([403, 'FORBIDDEN']);
    expect((await tryToSell(manager, restrictedSale)).status).toBe(200);
  });
});

describe('a merchant that restricts discounts', () => {
  it.each(Object.entries(FREE))('refuses a discount %s to an employee without the permission', async (_, body) => {
    await open(true);
    expect((await owner.call('GET', SETTINGS)).body).toMatchObject({ restrict_discounts: true });
    expect(refusal(await tryToSell(cashier, paid(body)))).toEqual([403, 'FORBIDDEN']);
    expect((await tryToSell(manager, paid(body))).status).toBe(200);
    expect((await tryToSell(cashier, paid({}))).status).toBe(200);
  });

  it('records the attempt in the audit log, also of a late sale', async () => {
    for (const attempt of [() => tryToSell(cashier, paid({ discounts: OFF })), () => sendLate(cashier, HOUR_MS)]) {
      await open(true);
      await attempt();
      const { employee_id, device_id, address, details } = await findAuditEvent(owner, 'ACCESS_REFUSED');
      expect([employee_id, device_id, address]).toEqual([cashier.employeeId, device.id, '127.0.0.1']);
      expect(details).toEqual({ reason: 'restricted discount', discount: 'Happy hour' });
    }
  });

  it('can be set by the operator, and takes effect as soon as the request returns, in both directions', async () => {
    await open(false);
    const path = `/api/sandbox/merchants/${owner.merchant.id}/register-settings`;
    for (const [restrict_discounts, status] of [
      [true, 403],
      [false, 200],
    ] as const) {
      const answer = await server.operator('PUT', path, { restrict_discounts });
      expect([answer.status, answer.body]).toEqual([200, { restrict_discounts }]);
      expect((await tryToSell(cashier, paid({ discounts: OFF }))).status).toBe(status);
    }
  });

  it('returns the existing sale on a retry, after the permission is removed', async () => {
    await open(false);
    const body = { id: randomUUID(), ...paid({ discounts: OFF }) };
    const first = await tryToSell(cashier, body);
    await set(true);
    const again = await tryToSell(cashier, body);
    expect([again.status, again.body]).toEqual([200, first.body]);
  });

  it('refuses a late sale of an employee without the permission', async () => {
    await open(true);
    await backdate(cashier, 2 * HOUR_MS);
    expect(refusal(await sendLate(cashier, HOUR_MS))).toEqual([403, 'FORBIDDEN']);
    expect((await sendLate(cashier, HOUR_MS, {})).status).toBe(200);
  });

  it('flags it in a queue instead: the sale has happened', async () => {
    await open(true);
    await backdate(cashier, 2 * HOUR_MS);
    const now = new Date();
    const body = { itemizations: [item(1000)], ...paid({ discounts: OFF }) };
    const occurred_at = new Date(now.getTime() - HOUR_MS).toISOString();
    const { results } = (
      await sendQueue(cashier, now.toISOString(), [
        keep(cashier, 'ringUpSale', { occurred_at, body }),
        keep(manager, 'ringUpSale', { occurred_at, body: { ...body, tenders: [cash()] } }),
      ])
    ).body;
    const codes = (flags: { code: string }[]) => flags.map(({ code }) => code);
    expect(results.map(({ status, flags }: never) => [status, codes(flags)])).toEqual([
      ['ACCEPTED', ['DISCOUNT_RESTRICTED', 'CUSTOM_AMOUNT']],
      ['ACCEPTED', ['NOT_SIGNED_IN_HERE', 'DISCOUNT_RESTRICTED']], // the manager signed in later
    ]);
  });
});

describe('a discount that the catalogue restricts (decision 0144)', () => {
  const CATALOGUE = '/api/dashboard/catalogue/discounts';

  async function addDiscount(body: Record<string, unknown>): Promise<string> {
    const answer = await owner.call('POST', CATALOGUE, { body: { name: 'Staff meal', rate: '0.5', ...body } });
    expect(answer.status, answer.text).toBe(200);
    return answer.body.discount.id;
  }

  const sold = (register: Register, discount: Record<string, unknown>) =>
    tryToSell(register, paid({ discounts: [discount] }));

  it('needs the permission, whatever the register says about it', async () => {
    await open(false);
    const discount_id = await addDiscount({ restricted: true });
    const attempts = [
      { name: 'Staff meal', rate: '0.5', discount_id },
      { name: 'Staff meal', rate: '0.5', discount_id, restricted: false },
      { name: 'Something else', rate: '0.5', discount_id },
      { name: 'Something else', amount_money: { amount: 1 }, discount_id },
      { name: 'Staff meal', rate: '0.5' },
      { name: '  STAFF   meal ', rate: '0.5', discount_id: 'D1' },
    ];
    for (const attempt of attempts) {
      expect(refusal(await sold(cashier, attempt)), JSON.stringify(attempt)).toEqual([403, 'FORBIDDEN']);
      expect((await sold(manager, attempt)).status).toBe(200);
    }
    const onItem = { itemizations: [item(1000, { discounts: attempts.slice(0, 1) })] };
    const refused = await tryToSell(cashier, paid(onItem));
    expect(refused.body.errors[0]).toMatchObject({ code: 'FORBIDDEN', field: 'itemizations.discounts' });
  });

  it('needs it as long as the catalogue restricts it', async () => {
    await open(false);
    const discount_id = await addDiscount({ restricted: false });
    const discount = { name: 'Staff meal', rate: '0.5', discount_id };
    expect((await sold(cashier, discount)).status).toBe(200);
    const change = { name: 'Staff meal', rate: '0.5', restricted: true, version: 1 };
    expect((await owner.call('PUT', `${CATALOGUE}/${discount_id}`, { body: change })).status).toBe(200);
    expect(refusal(await sold(cashier, discount))).toEqual([403, 'FORBIDDEN']);
    // Discounts that the catalogue does not know stay free text.
    expect((await sold(cashier, { name: 'Coupon', rate: '0.5', discount_id: 'D1' })).status).toBe(200);
  });
});
