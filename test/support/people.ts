/** Employees who may sign in, paired devices, and registers with an employee signed in, for tests. */
import { randomUUID } from 'node:crypto';
import { createOwner, type TestOwner } from './dashboard.js';
import { createEmployee, createRole, type V1Employee } from './employees.js';
import type { ApiResponse, CallOptions } from './http.js';
import type { TestMerchant, TestServer } from './server.js';
import { newSigningKey, type SigningKey } from './signing.js';

export const PASSCODE = '246810';

/** The permission that no-sale, paid-in and paid-out require (contract 2). */
export const OPEN_DRAWER = 'REGISTER_OPEN_CASH_DRAWER_OUTSIDE_SALE';

export function mainLocation({ locationIds }: TestMerchant): string {
  const [first] = locationIds;
  if (first === undefined) throw new Error('a merchant without a location');
  return first;
}

/** Asserts that a value that the test has just created is not undefined. */
export function ensureDefined<Value>(value: Value | undefined | null): Value {
  if (value === undefined || value === null) throw new Error('it is not there');
  return value;
}

export interface Hiring {
  /** Absent: no role. */
  readonly role?: { readonly permissions?: readonly string[]; readonly is_owner?: boolean };
  readonly authorized_location_ids?: readonly string[];
  /** Null: no passcode is set. */
  readonly passcode?: string | null;
  readonly active?: boolean;
}

/** Creates an employee who may sign in at a register by default: ACTIVE, with a passcode. */
export async function hire(
  server: TestServer,
  owner: TestOwner,
  { role, authorized_location_ids, passcode = PASSCODE, active = true }: Hiring = {},
): Promise<V1Employee> {
  const made = role && (await createRole(server, owner.merchant, { permissions: [], ...role }));
  const employee = await createEmployee(server, owner.merchant, {
    ...(made && { role_ids: [made.id] }),
    ...(authorized_location_ids && { authorized_location_ids }),
  });
  if (active) expect200(await owner.call('POST', `/api/dashboard/employees/${employee.id}/activate`));
  if (passcode !== null) expect200(await setPasscode(owner, employee.id, passcode));
  return employee;
}

export function setPasscode(owner: TestOwner, employeeId: string, passcode: unknown): Promise<ApiResponse> {
  return owner.call('PUT', `/api/dashboard/employees/${employeeId}/passcode`, { body: { passcode } });
}

export interface PairedDevice {
  readonly id: string;
  readonly name: string;
  readonly locationId: string;
  readonly token: string;
  call(method: string, path: string, options?: CallOptions): Promise<ApiResponse>;
  signIn(employeeId: string, passcode?: string, more?: Record<string, unknown>): Promise<ApiResponse>;
}

export async function pairDevice(
  server: TestServer,
  owner: TestOwner,
  { name = 'Till 1', locationId = mainLocation(owner.merchant) }: { name?: string; locationId?: string } = {},
): Promise<PairedDevice> {
  const { body } = expect200(
    await owner.call('POST', '/api/dashboard/devices', { body: { name, location_id: locationId } }),
  );
  const token: string = body.device_token;
  const call = (method: string, path: string, options?: CallOptions) =>
    server.call(method, path, { ...options, token: options?.token ?? token });
  return {
    id: body.device.id,
    name,
    locationId,
    token,
    call,
    signIn: (employee_id, passcode = PASSCODE, more = {}) =>
      call('POST', '/api/register/session', { body: { employee_id, passcode, ...more } }),
  };
}

/** A device with a signed-in employee. */
export interface Register {
  readonly device: PairedDevice;
  readonly employeeId: string;
  readonly session: string;
  /** Signs what the employee does offline. */
  readonly signingKey: SigningKey;
  call(method: string, path: string, options?: CallOptions): Promise<ApiResponse>;
  /** Sends a POST with a new id, unless the body has one. */
  write(path: string, body?: Record<string, unknown>): Promise<ApiResponse>;
}

export async function signInAt(device: PairedDevice, employeeId: string, passcode?: string): Promise<Register> {
  const signingKey = newSigningKey();
  const answer = await device.signIn(employeeId, passcode, { signing_key: signingKey.publicKey });
  const session: string = expect200(answer).body.session;
  const call = (method: string, path: string, options?: CallOptions) =>
    device.call(method, path, {
      ...options,
      headers: { 'tillhouse-employee-session': session, ...options?.headers },
    });
  return {
    device,
    employeeId,
    session,
    signingKey,
    call,
    write: (path, body = {}) => call('POST', path, { body: { id: randomUUID(), ...body } }),
  };
}

/** A register at the owner's main location, with an employee who may open the drawer. */
export async function openRegister(
  server: TestServer,
  owner: TestOwner,
  { hiring = { role: { permissions: [OPEN_DRAWER] } }, locationId }: { hiring?: Hiring; locationId?: string } = {},
): Promise<Register> {
  const device = await pairDevice(server, owner, { ...(locationId !== undefined && { locationId }) });
  const employee = await hire(server, owner, hiring);
  return signInAt(device, employee.id);
}

/** Creates a merchant, signs its owner in, and opens a register. */
export async function openBusiness(
  server: TestServer,
  merchant: Record<string, unknown> = {},
  hiring?: Hiring,
): Promise<{ owner: TestOwner; register: Register }> {
  const owner = await createOwner(server, merchant);
  return { owner, register: await openRegister(server, owner, hiring && { hiring }) };
}

export interface WireMoney {
  readonly amount: number;
  readonly currency: string;
}

/** A shift as the register and v2 return it. */
export interface WireShift {
  readonly id: string;
  readonly state: 'OPEN' | 'ENDED' | 'CLOSED';
  readonly opened_at: string;
  readonly ended_at?: string;
  readonly closed_at?: string;
  readonly description?: string;
  readonly opened_cash_money: WireMoney;
  readonly expected_cash_money: WireMoney;
  readonly closed_cash_money?: WireMoney;
}

const SHIFTS = '/api/register/cash-drawer-shifts';

export async function openShift(
  register: Register,
  amount = 10_000,
  body: Record<string, unknown> = {},
): Promise<WireShift> {
  const answer = await register.write(SHIFTS, { opened_cash_money: { amount }, ...body });
  return expect200(answer).body.cash_drawer_shift;
}

export async function endShift(register: Register, shiftId: string): Promise<WireShift> {
  return expect200(await register.write(`${SHIFTS}/${shiftId}/end`)).body.cash_drawer_shift;
}

export async function closeShift(
  register: Register,
  shiftId: string,
  amount = 10_000,
  body: Record<string, unknown> = {},
): Promise<WireShift> {
  const answer = await register.write(`${SHIFTS}/${shiftId}/close`, { closed_cash_money: { amount }, ...body });
  return expect200(answer).body.cash_drawer_shift;
}

function expect200(answer: ApiResponse): ApiResponse {
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
  return answer;
}
