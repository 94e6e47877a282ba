/** Who works at this register, and who is signed in. */
import { textOfApproval } from '../../../src/access/devices/signed-text.js';
import type { Amount } from '../../../src/base/money.js';
import { printMilliseconds } from '../../../src/base/time.js';
import { Problem } from '../../client/problem.js';
import { createStore, type Store } from '../../client/store.js';
import { call, callAs, register } from './call.js';
import type { CartApproval } from './cart.js';
import { now } from './clock.js';
import { isOnline } from './connection.js';
import { credentials } from './credentials.js';
import { device } from './device.js';
import { newPair, type SigningKey, SigningKeys, signText, type Unlocking } from './signing-keys.js';
import { createKept, local } from './storage/kept.js';
import type { WireApproval, WireMember, WireSession } from './wire.js';

export interface Attendant {
  readonly employeeId: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly permissions: ReadonlySet<string>;
  /** Absent if the sign-in was checked on this device only. */
  readonly session?: string;
  readonly clockedInSince?: string;
  readonly isOffline: boolean;
  /** Signs what the person does. */
  readonly key: SigningKey;
}

/** What somebody allows without taking over the register: that a sale takes something off. */
export interface SaleToApprove {
  readonly operation: 'ringUpSale' | 'editSale';
  readonly saleId: string;
  readonly amount: Amount;
}

/** Nobody should wait longer to sign in: without a response by then, the passcode is checked on this device. */
const SIGN_IN_LIMIT_MS = 5000;

const keptTeam = createKept<readonly WireMember[]>('team', []);
const signingKeys = new SigningKeys(local, now);

export const team: Pick<Store<readonly WireMember[]>, 'get' | 'subscribe'> = keptTeam;
export const attendant = createStore<Attendant | undefined>(undefined);
/** Who was here before the register was locked. */
export const lastEmployeeId = createStore<string | undefined>(undefined);
/** Ids of the employees who may sign in without a network. */
export const canSignInOffline = createStore<ReadonlySet<string>>(new Set());

/** The passcode of somebody who signed in offline, for the sign-in at the server when it is back. Never stored. */
let passcodeInHand: string | undefined;

/** A reload does not sign anybody out; closing the tab does. */
const SESSION_KEY = 'tillhouse-attendant';

attendant.subscribe(() => {
  const person = attendant.get();
  credentials.session = person?.session;
  if (person) sessionStorage.setItem(SESSION_KEY, JSON.stringify(toStored(person)));
  else sessionStorage.removeItem(SESSION_KEY);
});

/** What a reload needs. It is in the tab only, like the session, and gone when somebody else signs in. */
type StoredAttendant = Omit<Attendant, 'permissions' | 'key'> & {
  readonly permissions: readonly string[];
  readonly keySecret: string;
};

function toStored({ key, permissions, ...person }: Attendant): StoredAttendant {
  return { ...person, permissions: [...permissions], keySecret: key.secret };
}

isOnline.subscribe(() => isOnline.get() && void renewSession());

/** Restores the attendant after a reload, unless the key of the person cannot be unlocked: then the passcode is needed again. */
export async function restoreAttendant(): Promise<void> {
  const text = sessionStorage.getItem(SESSION_KEY);
  if (text !== null) {
    const { keySecret, permissions, ...person } = JSON.parse(text) as StoredAttendant;
    const key = await signingKeys.reopen(person.employeeId, keySecret ?? '');
    attendant.set(key && { ...person, key, permissions: new Set(permissions) });
  }
  await showWhoMaySignInOffline();
}

async function showWhoMaySignInOffline(): Promise<void> {
  canSignInOffline.set(await signingKeys.list());
}

/** How many clock-ins and clock-outs the server has accepted. */
let clockings = 0;

/** The server has clocked an employee in or out. The team must show it, because the next sign-in may be without a network. */
export function noteClocking(employeeId: string, since: string | undefined): void {
  clockings += 1;
  keptTeam.set(
    keptTeam.get().map(({ clocked_in_since: before, ...member }) => {
      const known = member.id === employeeId ? since : before;
      return { ...member, ...(known !== undefined && { clocked_in_since: known }) };
    }),
  );
  learnClocking();
}

/** Copies the clock-in from the team to the attendant, who may have signed in without a network or clocked in elsewhere. */
function learnClocking(): void {
  const person = attendant.get();
  const member = keptTeam.get().find(({ id }) => id === person?.employeeId);
  if (!person || !member || member.clocked_in_since === person.clockedInSince) return;
  const { clockedInSince: _, ...rest } = person;
  const { clocked_in_since: since } = member;
  attendant.set({ ...rest, ...(since !== undefined && { clockedInSince: since }) });
}

/** Somebody who has left the team can no longer sign in offline. */
export async function refreshTeam(): Promise<void> {
  const before = clockings;
  const { employees } = await call(register.listTeam);
  if (clockings !== before) return; // the list may be older than the clock-in. It is loaded again soon.
  await keptTeam.save(employees);
  learnClocking();
  const present = new Set(employees.map(({ id }) => id));
  for (const id of await signingKeys.list()) if (!present.has(id)) await signingKeys.forget(id);
  await showWhoMaySignInOffline();
}

export async function signIn(employeeId: string, passcode: string): Promise<void> {
  const person = await identify(employeeId, passcode);
  passcodeInHand = person.isOffline ? passcode : undefined;
  lastEmployeeId.set(employeeId);
  attendant.set(person);
}

/** Somebody types a passcode for this sale and this amount. It counts once. The attendant stays signed in. */
export async function approve(employeeId: string, passcode: string, sale: SaleToApprove): Promise<CartApproval> {
  if (!isOnline.get()) return approveHere(employeeId, passcode, sale);
  try {
    return await approveAtServer(employeeId, passcode, sale);
  } catch (error) {
    if (!(error instanceof Problem) || !error.isOutage) throw error;
    return approveHere(employeeId, passcode, sale);
  }
}

async function approveAtServer(employeeId: string, passcode: string, sale: SaleToApprove): Promise<CartApproval> {
  const { operation, saleId, amount } = sale;
  const pair = await newPair();
  const input = {
    ...{ employee_id: employeeId, passcode, signing_key: pair.publicKey },
    ...{ operation, sale_id: saleId, amount_money: { amount } },
  };
  const options = { session: null, timeLimitMs: SIGN_IN_LIMIT_MS };
  const { approval } = (await callAs(register.giveApproval, input, options)) as WireApproval;
  await signingKeys.keep(employeeId, passcode, pair);
  await showWhoMaySignInOffline();
  return { id: approval.id, employeeId, amount };
}

/** Signs the approval with the key that the passcode unlocks. The server checks it when it gets the sale. */
async function approveHere(employeeId: string, passcode: string, sale: SaleToApprove): Promise<CartApproval> {
  const { key } = await identifyHere(employeeId, passcode);
  const [id, time, deviceId] = [crypto.randomUUID(), printMilliseconds(now()), device.get()?.id ?? ''];
  const text = textOfApproval({ id, employeeId, deviceId, time, ...sale });
  const signature = { key: key.publicKey, time, value: await signText(key, text) };
  return { id, employeeId, amount: sale.amount, signature };
}

async function identify(employeeId: string, passcode: string): Promise<Attendant> {
  if (!isOnline.get()) return identifyHere(employeeId, passcode);
  try {
    return await identifyAtServer(employeeId, passcode);
  } catch (error) {
    if (!(error instanceof Problem) || !error.isOutage) throw error;
    return identifyHere(employeeId, passcode);
  }
}

async function identifyAtServer(employeeId: string, passcode: string): Promise<Attendant> {
  const pair = await newPair();
  const input = { employee_id: employeeId, passcode, signing_key: pair.publicKey };
  const options = { session: null, timeLimitMs: SIGN_IN_LIMIT_MS };
  const found = (await callAs(register.signIn, input, options)) as WireSession;
  const key = await signingKeys.keep(employeeId, passcode, pair);
  await showWhoMaySignInOffline();
  return {
    employeeId,
    firstName: found.first_name,
    lastName: found.last_name,
    permissions: new Set(found.permissions),
    session: found.session,
    ...(found.clocked_in_since !== undefined && { clockedInSince: found.clocked_in_since }),
    isOffline: false,
    key,
  };
}

const REASONS: Readonly<Record<Exclude<Unlocking['result'], 'RIGHT'>, readonly [code: string, message: string]>> = {
  WRONG: ['WRONG_PASSCODE', 'This passcode is wrong.'],
  WIPED: [
    'OFFLINE_SIGN_IN_ENDED',
    'This passcode was wrong five times. Signing in without a network is no longer possible: wait until the network is back.',
  ],
  NONE: [
    'NO_OFFLINE_SIGN_IN',
    'Without a network, only people who signed in here within the last 7 days can sign in. Wait until the network is back.',
  ],
};

/** Checks the passcode on this device, by unlocking the key. The permissions are those of the last contact with the server. */
async function identifyHere(employeeId: string, passcode: string): Promise<Attendant> {
  const unlocking = await signingKeys.unlock(employeeId, passcode);
  const member = keptTeam.get().find(({ id }) => id === employeeId);
  if (unlocking.result !== 'RIGHT' || !member) {
    await showWhoMaySignInOffline();
    const [code, message] = REASONS[unlocking.result === 'RIGHT' ? 'NONE' : unlocking.result];
    throw new Problem(message, { status: 401, code, field: 'passcode', requestId: undefined });
  }
  return {
    employeeId,
    firstName: member.first_name,
    lastName: member.last_name,
    permissions: new Set(member.permissions),
    ...(member.clocked_in_since !== undefined && { clockedInSince: member.clocked_in_since }),
    isOffline: true,
    key: unlocking.key,
  };
}

/** Somebody who signed in offline gets a session when the network is back. Somebody who may no longer work here is signed out. */
export async function renewSession(): Promise<void> {
  const person = attendant.get();
  if (!person || person.session !== undefined || passcodeInHand === undefined) return;
  try {
    const renewed = await identifyAtServer(person.employeeId, passcodeInHand);
    if (attendant.get() === person) attendant.set(renewed);
    passcodeInHand = undefined;
  } catch (error) {
    if (error instanceof Problem && !error.isOutage && attendant.get() === person) lock();
  }
}

/** Call it when the server has ended the session. The person can still make writes; everything else asks for the passcode. */
export function noteEndedSession(): void {
  const person = attendant.get();
  if (!person) return;
  const { session: _, ...rest } = person;
  attendant.set({ ...rest, isOffline: true });
}

export function may(permission: string): boolean {
  return attendant.get()?.permissions.has(permission) ?? false;
}

/** Nobody is signed in any more. Cart and queue stay. */
export function lock(): void {
  void signOut();
}

export async function signOut(): Promise<void> {
  const person = attendant.get();
  attendant.set(undefined);
  passcodeInHand = undefined;
  if (person?.session === undefined || !isOnline.get()) return;
  await callAs(register.signOut, {}, { session: person.session }).catch(() => {}); // the session expires anyway
}
