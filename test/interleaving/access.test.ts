/** Functions of passwords and devices, stopped in the middle while somebody signs in. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { resetPassword } from '../../src/access/dashboard/sessions.js';
import { createOwner, PASSWORD, signIn, type TestOwner } from '../support/dashboard.js';
import type { ApiResponse } from '../support/http.js';
import { interleave } from '../support/interleaving.js';
import { hire, mainLocation, type PairedDevice, pairDevice, setPasscode, signInAt } from '../support/people.js';
import { isCluster, startTestServer, type TestServer } from '../support/server.js';

let server: TestServer;
let owner: TestOwner;
let device: PairedDevice;
let employeeId: string;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());
beforeEach(async () => {
  owner = await createOwner(server);
  device = await pairDevice(server, owner);
  ({ id: employeeId } = await hire(server, owner));
});

/** The register sessions of the merchant that have not ended. */
async function countRegisterSessions(): Promise<number> {
  const rows = await server.database.sql`
    select from register_sessions where merchant_id = ${owner.merchant.id} and ended_at is null`;
  return rows.length;
}

it('a reset of the password leaves no session that was started while it waited', async () => {
  const answers: Promise<ApiResponse>[] = [];
  const changed = await interleave(server, {
    // A sign-in locks the account in this way.
    hold: (tx) => tx`select from accounts where merchant_id = ${owner.merchant.id} for share`,
    work: () => resetPassword(server.database, owner.email, 'a new and long password'),
    async meanwhile() {
      answers.push(signIn(server, owner.email, PASSWORD));
      // On a cluster the sign-in waits as well: every node has the accounts, and a lock is granted in the order of waiting.
      if (!isCluster) await answers[0];
    },
  });
  expect(changed).toBe(owner.merchant.id);
  expect((await answers[0])?.status).toBe(isCluster ? 401 : 200);
  const valid = await server.database.sql`
    select from sessions where merchant_id = ${owner.merchant.id} and revoked_at is null`;
  expect(valid).toHaveLength(0);
});

it('a new passcode ends a session that was started with the old one while it waited', async () => {
  const answer = await interleave(server, {
    // A sign-in with a key locks the passcode in this way.
    hold: (tx) =>
      tx`select from employee_passcodes where merchant_id = ${owner.merchant.id} and employee_id = ${employeeId} for share`,
    work: () => setPasscode(owner, employeeId, '135791'),
    meanwhile: () => signInAt(device, employeeId),
  });
  expect([answer.status, await countRegisterSessions()]).toEqual([200, 0]);
});

it('unpairing a device ends a session that was started there while it waited', async () => {
  const answer = await interleave(server, {
    hold: (tx) =>
      tx`select from devices where merchant_id = ${owner.merchant.id} and device_id = ${device.id} for update`,
    work: () => owner.call('DELETE', `/api/dashboard/devices/${device.id}`),
    meanwhile: () => signInAt(device, employeeId),
  });
  expect([answer.status, await countRegisterSessions()]).toEqual([200, 0]);
});

it('a register that is just being paired still asks', async () => {
  const waiting = (await server.call('POST', '/api/register/pairing-codes')).body;
  const body = { device_token: waiting.device_token };
  const stateOf = async () => (await server.call('POST', '/api/register/pairing-codes/state', { body })).body.state;
  const location_id = mainLocation(owner.merchant);
  await owner.call('POST', '/api/dashboard/pairings', { body: { code: waiting.code, name: 'A', location_id } });
  let meanwhile: unknown;
  const answer = await interleave(server, {
    // The device refers to its location.
    hold: (tx) => tx`select from locations where merchant_id = ${owner.merchant.id} for update`,
    work: () => server.call('POST', '/api/register/pairing-codes/answer', { body: { ...body, accept: true } }),
    async meanwhile() {
      meanwhile = await stateOf();
    },
  });
  expect([answer.status, meanwhile, await stateOf()]).toEqual([200, 'ASKED', 'PAIRED']);
});

it('a deactivation ends a session that was started while it waited', async () => {
  const answer = await interleave(server, {
    // A sign-in locks the employee in this way.
    hold: (tx) =>
      tx`select from employees where merchant_id = ${owner.merchant.id} and employee_id = ${employeeId} for share`,
    work: () => owner.call('POST', `/api/dashboard/employees/${employeeId}/deactivate`),
    meanwhile: () => signInAt(device, employeeId),
  });
  expect([answer.status, await countRegisterSessions()]).toEqual([200, 0]);
});

it('a change of an employee keeps a change of another field that it waited for', async () => {
  const { token, id } = owner.merchant;
  const answer = await interleave(server, {
    hold: (tx) => tx`
      update employees set first_name = 'Lian' where merchant_id = ${id} and employee_id = ${employeeId}`,
    work: () => server.call('PUT', `/v1/me/employees/${employeeId}`, { token, body: { last_name: 'Chen' } }),
  });
  expect([answer.body.first_name, answer.body.last_name]).toEqual(['Lian', 'Chen']);
});
