/** The permissions of a signed-in employee at a register follow each change of the employee, the role, the device and the merchant. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pollUntil } from '../../support/clock.js';
import { createOwner, type TestOwner } from '../../support/dashboard.js';
import { createRole } from '../../support/employees.js';
import { interleave } from '../../support/interleaving.js';
import { repetitions } from '../../support/long.js';
import { ensureDefined, hire, type PairedDevice, pairDevice, type Register, signInAt } from '../../support/people.js';
import { withFullHashes } from '../../support/quick-argon2.js';
import { startTestServer, type TestServer } from '../../support/server.js';

/** The longest time for which another server accepts a credential after a change. */
const DEADLINE_MS = 1000;

const HISTORY = 'REGISTER_ACCESS_SALES_HISTORY';
const SALES = '/api/register/sales';

let one: TestServer;
let two: TestServer;

beforeAll(async () => {
  one = await startTestServer();
  two = await startTestServer({ databaseUrl: one.databaseUrl });
});
afterAll(async () => {
  await two.stop();
  await one.stop();
});

interface Place {
  readonly owner: TestOwner;
  readonly device: PairedDevice;
  readonly register: Register;
  readonly employeeId: string;
  readonly roleId: string;
  readonly elsewhere: string;
}

/** An employee with permission to see the sales of the location, cached by both servers. */
async function open(): Promise<Place> {
  const owner = await createOwner(one, { locations: [{ name: 'One' }, { name: 'Two' }] });
  const device = await pairDevice(one, owner);
  const employee = await hire(one, owner, { role: { permissions: [HISTORY] } });
  const register = await signInAt(device, employee.id);
  for (const server of [one, two]) expect(await statusAt(server, register)).toBe(200);
  return {
    owner,
    device,
    register,
    employeeId: employee.id,
    roleId: ensureDefined(employee.role_ids[0]),
    elsewhere: ensureDefined(owner.merchant.locationIds[1]),
  };
}

async function statusAt(server: TestServer, { device, session }: Register): Promise<number> {
  const headers = { 'tillhouse-employee-session': session };
  return (await server.call('GET', SALES, { token: device.token, headers })).status;
}

async function change(place: Place, method: string, path: string, body?: unknown): Promise<void> {
  const { token } = place.owner.merchant;
  const answer = path.startsWith('/api/dashboard')
    ? await place.owner.call(method, path, { body })
    : await one.call(method, path, { token, body });
  expect([answer.status, path]).toEqual([200, path]);
}

const CHANGES: Readonly<Record<string, { make(place: Place): Promise<void>; status: number }>> = {
  'the role loses the permission': {
    make: (place) => change(place, 'PUT', `/v1/me/roles/${place.roleId}`, { permissions: [] }),
    status: 403,
  },
  'the employee gets another role': {
    async make(place) {
      const other = await createRole(one, place.owner.merchant, { permissions: [] });
      await change(place, 'PUT', `/v1/me/employees/${place.employeeId}`, { role_ids: [other.id] });
    },
    status: 403,
  },
  'the employee has no role any more': {
    make: (place) => change(place, 'PUT', `/v1/me/employees/${place.employeeId}`, { role_ids: [] }),
    status: 403,
  },
  'the employee works at another location': {
    make: (place) =>
      change(place, 'PUT', `/v1/me/employees/${place.employeeId}`, { authorized_location_ids: [place.elsewhere] }),
    status: 401,
  },
  'the employee is deactivated': {
    make: (place) => change(place, 'POST', `/api/dashboard/employees/${place.employeeId}/deactivate`),
    status: 401,
  },
  'the employee gets another passcode': {
    make: (place) =>
      change(place, 'PUT', `/api/dashboard/employees/${place.employeeId}/passcode`, { passcode: '13579135' }),
    status: 401,
  },
  'the device is unpaired': {
    make: (place) => change(place, 'DELETE', `/api/dashboard/devices/${place.device.id}`),
    status: 401,
  },
};

describe('a signed-in employee', () => {
  it.each(Object.entries(CHANGES))(
    'loses access as soon as the request returns, and at another server within a second, when %s',
    async (_, { make, status }) => {
      const place = await open();
      await make(place);
      expect(await statusAt(one, place.register)).toBe(status);
      const seen = await pollUntil(
        () => statusAt(two, place.register),
        (answer) => answer === status,
        DEADLINE_MS,
      );
      expect(seen).toBe(status);
    },
  );

  it('gains access as soon as the request returns when the role gets a permission, or becomes an owner role', async () => {
    const place = await open();
    for (const more of [{ permissions: [HISTORY] }, { is_owner: true }]) {
      await change(place, 'PUT', `/v1/me/roles/${place.roleId}`, { permissions: [], is_owner: false });
      expect(await statusAt(one, place.register)).toBe(403);
      await change(place, 'PUT', `/v1/me/roles/${place.roleId}`, more);
      expect(await statusAt(one, place.register)).toBe(200);
    }
  });

  it('loses the operations that require an approved merchant as soon as the request returns', async () => {
    const { owner, register } = await open();
    const clockIn = () => register.write('/api/register/timecards/clock-in');
    await one.operator('PUT', `/api/sandbox/merchants/${owner.merchant.id}/approval`, { approved: false });
    expect((await clockIn()).status).toBe(403);
    await one.operator('PUT', `/api/sandbox/merchants/${owner.merchant.id}/approval`, { approved: true });
    expect((await clockIn()).status).toBe(200);
  });

  it('keeps the session if a change leaves the location allowed', async () => {
    const place = await open();
    const here = place.device.locationId;
    for (const ids of [[here], [place.elsewhere, here], []]) {
      await change(place, 'PUT', `/v1/me/employees/${place.employeeId}`, { authorized_location_ids: ids });
      expect(await statusAt(one, place.register)).toBe(200);
    }
  });

  it('never uses an old permission after the change has returned, with any number of requests in flight', async () => {
    const place = await open();
    let isFinished = false;
    const readers = Array.from({ length: 6 }, async () => {
      while (!isFinished) await statusAt(one, place.register);
    });
    const seen: [number, number[]][] = [];
    for (let turn = 0; turn < repetitions({ usual: 16, long: 40 }); turn++) {
      const permissions = turn % 2 === 0 ? [] : [HISTORY];
      await change(place, 'PUT', `/v1/me/roles/${place.roleId}`, { permissions });
      seen.push([turn % 2 === 0 ? 403 : 200, await Promise.all([1, 2, 3].map(() => statusAt(one, place.register)))]);
    }
    isFinished = true;
    await Promise.all(readers);
    expect(seen.filter(([right, statuses]) => statuses.some((status) => status !== right))).toEqual([]);
  });
});

describe('an ended session', () => {
  const END: Readonly<Record<string, (place: Place) => Promise<void>>> = {
    'deactivated and activated again': async (place) => {
      await change(place, 'POST', `/api/dashboard/employees/${place.employeeId}/deactivate`);
      await change(place, 'POST', `/api/dashboard/employees/${place.employeeId}/activate`);
    },
    'moved to another location and back': async (place) => {
      const path = `/v1/me/employees/${place.employeeId}`;
      await change(place, 'PUT', path, { authorized_location_ids: [place.elsewhere] });
      await change(place, 'PUT', path, { authorized_location_ids: [] });
    },
  };

  it.each(Object.entries(END))('stays ended when the employee is %s', async (_, end) => {
    const place = await open();
    await end(place);
    for (const server of [one, two]) {
      const seen = await pollUntil(
        () => statusAt(server, place.register),
        (answer) => answer === 401,
        DEADLINE_MS,
      );
      expect(seen).toBe(401);
    }
    expect((await signInAt(place.device, place.employeeId)).session).not.toBe(place.register.session);
  });

  it('is not revived by a sign-in concurrent with a deactivation', async () => {
    const place = await open();
    const { device, employeeId } = place;
    for (let turn = 0; turn < 10; turn++) {
      const signingIn = withFullHashes(() => device.signIn(employeeId));
      await new Promise((resolve) => setTimeout(resolve, turn * 15));
      await change(place, 'POST', `/api/dashboard/employees/${employeeId}/deactivate`);
      const answer = await signingIn;
      expect([200, 403]).toContain(answer.status);
      await change(place, 'POST', `/api/dashboard/employees/${employeeId}/activate`);
      if (answer.status === 200) {
        expect(await statusAt(one, { ...place.register, session: answer.body.session })).toBe(401);
      }
    }
  });

  it('is not revived if the deactivation waits for a sign-in in flight, nor if the sign-in waits', async () => {
    const place = await open();
    const { device, employeeId, owner } = place;
    const { sql } = one.database;
    const inFlight: Promise<unknown>[] = [];
    await interleave(one, {
      hold: (tx) => tx`
        select 1 from employees where merchant_id = ${owner.merchant.id} and employee_id = ${employeeId} for update`,
      work: () => device.signIn(employeeId),
      meanwhile(held) {
        inFlight.push(owner.call('POST', `/api/dashboard/employees/${employeeId}/deactivate`));
        return held.untilWaiting(2);
      },
    });
    await Promise.all(inFlight);
    const left = await sql`
      select 1 from register_sessions where employee_id = ${employeeId} and ended_at is null`;
    expect(left).toHaveLength(0);
  });
});
