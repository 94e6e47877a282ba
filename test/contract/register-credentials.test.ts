import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Operation } from '../../src/api/operation.js';
import { hashSecret } from '../../src/base/secrets.js';
import { REGISTER_PERMISSIONS } from '../../src/identity/permissions.js';
import { operationsOn } from '../../src/operations.js';
import type { ApiResponse, CallOptions } from '../support/http.js';
import { isLong } from '../support/long.js';
import { OPERATOR_KEY, startTestServer, type TestServer } from '../support/server.js';
import {
  type Attendant,
  atRegister,
  type Business,
  cookie,
  createRole,
  EMPLOYEE_SESSION,
  employAt,
  openBusiness,
  pair,
  signInAt,
} from './business.js';
import { expectRefusal, NO_PERMISSION, readRefusal, UNAUTHORIZED } from './refusals.js';
import { callWell, type GoodRequest, goodRequest, nameOf, send } from './requests.js';
import { createCaseSelector } from './shares.js';

/** Wrong in every way that is checked after authentication. */
const WRONG = { body: '{"broken', headers: { 'square-version': 'yesterday', 'content-type': 'text/plain' } };

let server: TestServer;
let business: Business;
let stranger: Business;
/** Invalid credentials, by reason. */
let invalid: Readonly<Record<string, CallOptions>>;
/** Employees at the same device, by the permissions of their role. */
const staff = new Map<string, Attendant>();

beforeAll(async () => {
  server = await startTestServer();
  [business, stranger] = [await openBusiness(server), await openBusiness(server)];
  const { device, attendant, session } = business;
  const [second, taken] = [await pair(server, business), await pair(server, business)];
  const sessionOf = async (at = device) => (await employAt(server, business, at)).session;

  const signedOut = await sessionOf();
  await server.call('DELETE', '/api/register/session', atRegister(device, signedOut));
  const late = await sessionOf();
  await server.database.sql`
    update register_sessions set expires_at = now() - interval '1 second' where token_hash = ${hashSecret(late)}`;
  const [fired, renamed] = [await employAt(server, business, device), await employAt(server, business, device)];
  await server.call('POST', `/api/dashboard/employees/${fired.employeeId}/deactivate`, cookie(session));
  const passcode = { ...cookie(session), body: { passcode: '8642' } };
  await server.call('PUT', `/api/dashboard/employees/${renamed.employeeId}/passcode`, passcode);
  const atTaken = await sessionOf(taken);
  await server.call('DELETE', `/api/dashboard/devices/${taken.id}`, cookie(session));

  invalid = {
    'the device alone': atRegister(device),
    'the device and an empty session': atRegister(device, ''),
    'the device and an unknown session': atRegister(device, 'nobody-has-this'),
    'the device and a longer session': atRegister(device, `${attendant.session}x`),
    'the device and a shorter session': atRegister(device, attendant.session.slice(0, -1)),
    'the device and a session in another case': atRegister(device, attendant.session.toUpperCase()),
    'the device and a session that is sent twice': atRegister(device, `${attendant.session}, ${attendant.session}`),
    'the device and a session that is too long': atRegister(device, attendant.session.repeat(100)),
    'the device and a session as a bearer token': atRegister(device, `Bearer ${attendant.session}`),
    'the device and a session in the cookie': { ...atRegister(device), ...cookie(attendant.session) },
    'the device and a session at another device': atRegister(device, await sessionOf(second)),
    'another device and the session': atRegister(second, attendant.session),
    "the device and a session at another merchant's device": atRegister(device, stranger.attendant.session),
    "another merchant's device and the session": atRegister(stranger.device, attendant.session),
    'the device and a session that was signed out': atRegister(device, signedOut),
    'the device and an expired session': atRegister(device, late),
    'the device and the session of an employee who became INACTIVE': atRegister(device, fired.session),
    'the device and a session opened with an older passcode': atRegister(device, renamed.session),
    'an unpaired device and its session': atRegister(taken, atTaken),
    'the device and itself': atRegister(device, device.token),
    'the device and an access token': atRegister(device, business.merchant.token),
    "the device and the owner's session": atRegister(device, session),
    'the device and the operator key': atRegister(device, OPERATOR_KEY),
    'the session alone': { headers: { [EMPLOYEE_SESSION]: attendant.session } },
    'the session as both': { token: attendant.session, headers: { [EMPLOYEE_SESSION]: attendant.session } },
    'an access token and the session': atRegister({ id: '', token: business.merchant.token }, attendant.session),
    "the owner's session and the session": atRegister({ id: '', token: session }, attendant.session),
    'the operator key and the session': atRegister({ id: '', token: OPERATOR_KEY }, attendant.session),
  };

  const employ = async (name: string, role_ids: readonly string[]) =>
    staff.set(name, await employAt(server, business, device, { role_ids }));
  const { merchant } = business;
  await employ('nobody', []);
  await employ('a role with nothing', [await createRole(server, merchant, [])]);
  await employ("an owner's role", [await createRole(server, merchant, [], { is_owner: true })]);
  for (const word of REGISTER_PERMISSIONS) {
    await employ(`only ${word}`, [await createRole(server, merchant, [word])]);
    const others = REGISTER_PERMISSIONS.filter((each) => each !== word);
    await employ(`all but ${word}`, [await createRole(server, merchant, others)]);
  }
});
afterAll(() => server.stop());

const registerOperations = operationsOn('register');
const ofDevices = registerOperations.filter(({ permission }) => permission === 'DEVICE');
const ofPeople = registerOperations.filter(({ permission }) => permission !== 'DEVICE' && permission !== 'ANYONE');
const ofRoles = ofPeople.filter(({ permission }) => permission !== 'EMPLOYEE');

const titled = (operations: readonly Operation[]) => operations.map((each) => [nameOf(each), each] as const);

/** Sends the same good request with other credentials. A refused request leaves the records unchanged for the next one. */
function askWith(operation: Operation, request: GoodRequest, credential: CallOptions): Promise<ApiResponse> {
  return send(server, operation, { ...request, credential });
}

/** Another employee at the same device. */
function servedBy(name: string): Business {
  const attendant = staff.get(name);
  if (!attendant) throw new Error(`no employee has ${name}`);
  return { ...business, attendant };
}

function credentialOf(name: string): CallOptions {
  const { device, attendant } = servedBy(name);
  return atRegister(device, attendant.session);
}

it('the declarations have operations for devices, for employees and for roles', () => {
  expect([ofDevices.length, ofPeople.length - ofRoles.length, ofRoles.length]).toEqual([6, 17, 11]);
});

describe.each(titled(ofDevices))('%s', (_, operation) => {
  it("opens with the device's credential alone", async () => {
    const request = await goodRequest(operation, business, server);
    const { token } = business.device;
    expect((await askWith(operation, request, { token })).status).toBe(200);
  });

  it('returns 401 immediately for a device that was unpaired', async () => {
    const device = await pair(server, business);
    const request = await goodRequest(operation, { ...business, device }, server);
    expect((await askWith(operation, request, atRegister(device))).status).toBe(200);
    await server.call('DELETE', `/api/dashboard/devices/${device.id}`, cookie(business.session));
    expectRefusal(await askWith(operation, request, atRegister(device)), operation.path, UNAUTHORIZED);
  });
});

/** `authenticate` treats the operations for employees alike, except that some only read. */
const shareOfCredentials = createCaseSelector(ofPeople, ({ method }) => String(method === 'GET'));

describe.each(titled(ofPeople))('%s', (_, operation) => {
  it('returns 401 for everything but the device with its session, whatever else is wrong', async () => {
    const request = await goodRequest(operation, business, server);
    expect(Object.keys(invalid).length).toBeGreaterThan(20);
    for (const [index, [why, credential]] of shareOfCredentials(operation, Object.entries(invalid)).entries()) {
      const headers = { ...WRONG.headers, ...credential.headers };
      const answers = [await askWith(operation, request, credential)];
      if (isLong || index === 0) {
        answers.push(await server.call(operation.method, request.path, { ...WRONG, ...credential, headers }));
      }
      for (const answer of answers) {
        const { status, word } = readRefusal(answer, operation.path);
        expect([why, status, word]).toEqual([why, 401, 'UNAUTHORIZED']);
      }
    }
    // The credential was the only reason for the refusals.
    const { status, text } = await askWith(operation, request, request.credential);
    expect(status, text).toBe(200);
  });
});

describe.each(titled(ofPeople.filter((each) => !ofRoles.includes(each))))('%s', (_, operation) => {
  it('opens for every signed-in employee, with or without a role', async () => {
    for (const name of ['nobody', 'a role with nothing', "an owner's role"]) {
      const { status, text } = await callWell(server, operation, servedBy(name));
      expect([name, status], text).toEqual([name, 200]);
    }
  });
});

/** The permissions, one of which is enough. */
function enoughFor({ permission }: Operation): readonly string[] {
  return typeof permission === 'object' && 'anyOf' in permission ? permission.anyOf : [String(permission)];
}

describe.each(titled(ofRoles))('%s', (_, operation) => {
  const enough = enoughFor(operation);
  const needed = enough.join(' or ');

  it('returns 403 for an employee without a role or without the permission, and names it (contract 2)', async () => {
    const without = enough.length === 1 ? [`all but ${needed}`] : [];
    const request = await goodRequest(operation, business, server);
    for (const name of ['nobody', 'a role with nothing', ...without]) {
      const credential = credentialOf(name);
      const headers = { ...WRONG.headers, ...credential.headers };
      for (const answer of [
        await askWith(operation, request, credential),
        await server.call(operation.method, request.path, { ...WRONG, ...credential, headers }),
      ]) {
        expect(expectRefusal(answer, operation.path, NO_PERMISSION).message).toContain(needed);
      }
    }
  });

  it("opens with the permission alone, and for an owner's role", async () => {
    for (const name of [...enough.map((each) => `only ${each}`), "an owner's role"]) {
      const { status, text } = await callWell(server, operation, servedBy(name));
      expect([name, status], text).toEqual([name, 200]);
    }
  });

  it('opens with no other permission', async () => {
    const others = REGISTER_PERMISSIONS.filter((each) => !enough.includes(each));
    expect(others).toHaveLength(7 - enough.length);
    const request = await goodRequest(operation, business, server);
    for (const word of others) {
      const answer = await askWith(operation, request, credentialOf(`only ${word}`));
      expectRefusal(answer, operation.path, NO_PERMISSION);
    }
    // The permission was the only reason for the refusals.
    const { status, text } = await send(server, operation, request);
    expect(status, text).toBe(200);
  });
});

describe('register.signIn', () => {
  const path = '/api/register/session';

  it('requires the passcode whatever session is sent', async () => {
    const { device, attendant } = business;
    const employee = await employAt(server, business, device);
    for (const passcode of ['0000', attendant.session, device.token, employee.session]) {
      const body = { employee_id: employee.employeeId, passcode: passcode.slice(0, 32) };
      const answer = await server.call('POST', path, { ...atRegister(device, employee.session), body });
      expectRefusal(answer, path, UNAUTHORIZED);
    }
    expect(await signInAt(server, device, employee)).toMatch(/^[\w-]{43}$/);
  });

  it('authenticates the device first', async () => {
    const { employeeId, passcode } = business.attendant;
    const body = { employee_id: employeeId, passcode };
    expectRefusal(await server.call('POST', path, { body }), path, UNAUTHORIZED);
    expectRefusal(await server.call('POST', path, { body, token: business.merchant.token }), path, UNAUTHORIZED);
  });
});

describe('a shift of another device of the same merchant', () => {
  it('does not exist for this device', async () => {
    const device = await pair(server, business);
    const attendant = await employAt(server, business, device, { role_ids: [business.ids['role_id']] });
    const concerned = registerOperations.filter(({ path }) => path.includes('{shift_id}'));
    expect(concerned).toHaveLength(6);
    for (const each of concerned) {
      const request = await goodRequest(each, business, server);
      const answer = await askWith(each, request, atRegister(device, attendant.session));
      expect([nameOf(each), readRefusal(answer, each.path).status]).toEqual([nameOf(each), 404]);
    }
  });
});
