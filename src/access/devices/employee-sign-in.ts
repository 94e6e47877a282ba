/** The sign-in of employees at a device, by id and passcode. */
import type { DeviceContext } from '../../api/operation.js';
import { realNow } from '../../base/clock.js';
import { Refusal } from '../../base/errors.js';
import { isUuid, newSecret } from '../../base/ids.js';
import { hashSecret } from '../../base/secrets.js';
import { HOUR_MS, instant } from '../../base/time.js';
import { actorOf, recordAudit } from '../../identity/audit.js';
import { type Issuing, issueCredentials } from '../../identity/directory.js';
import { type AttemptSubject, limitAttempts, MAX_FAILED_ATTEMPTS } from '../attempts.js';
import { passcodeMatches } from '../passwords.js';
import { findPasscodeHolder, insertRegisterSession, type PasscodeHolder } from './queries.js';
import { insertSigningKey } from './signing-key-queries.js';
import { parseSigningKey } from './signing-keys.js';

const SESSION_LIFETIME_MS = 12 * HOUR_MS;
const MAX_FAILED_ATTEMPTS_PER_DEVICE = 20;
const MAX_FAILED_ATTEMPTS_PER_MERCHANT = 100;

export interface SignedInEmployee {
  readonly session: string;
  readonly employeeId: string;
}

export interface SignIn {
  readonly employeeId: string;
  readonly passcode: string;
  /** The public half of a pair that the register has made. What it signs later counts as done by the employee (decision 0206). */
  readonly signingKey: string | undefined;
}

export async function signInEmployee(context: DeviceContext, given: SignIn): Promise<SignedInEmployee> {
  const { database, merchant, device } = context;
  const publicKey = given.signingKey === undefined ? undefined : parseSigningKey(given.signingKey, 'signing_key');
  const { employeeId, passcodeHash } = await verifyEmployee(context, given);
  const entry = { kind: 'EMPLOYEE_SIGNED_IN', ...actorOf(context), employeeId } as const;
  const who = { merchantId: merchant.id, deviceId: device.id, employeeId };
  const session = await issueCredentials(database, async (issuing) => {
    const opened = await openRegisterSession(issuing, who);
    if (publicKey !== undefined) {
      const key = { ...who, publicKey, passcodeHash, createdAt: realNow() };
      if (!(await insertSigningKey(issuing.tx, key))) throw noLongerAllowed();
    }
    await recordAudit(issuing.tx, entry);
    return opened;
  });
  return { session, employeeId };
}

export interface VerifiedEmployee {
  readonly employeeId: string;
  readonly passcodeHash: string;
}

/** Whoever knows the passcode of an employee who may work here. Wrong passcodes count (`subjectsOf`). */
export async function verifyEmployee(
  context: DeviceContext,
  { employeeId: givenId, passcode }: Pick<SignIn, 'employeeId' | 'passcode'>,
): Promise<VerifiedEmployee> {
  const { database, merchant, securityLog } = context;
  const employeeId = givenId.toLowerCase(); // one spelling, so that another spelling gives no further attempts
  const holder = isUuid(employeeId) ? await findPasscodeHolder(database.sql, merchant.id, employeeId) : undefined;
  try {
    return await verifyPasscode(context, { employeeId, passcode, holder });
  } catch (error) {
    if (error instanceof Refusal) {
      const reason = error.reason === 'UNAUTHORIZED' ? 'wrong passcode' : error.reason;
      const entry = { kind: 'EMPLOYEE_SIGN_IN_FAILED', ...actorOf(context), details: { reason } } as const;
      securityLog.record(holder ? { ...entry, employeeId } : entry); // an unknown id is not logged
    }
    throw error;
  }
}

interface PasscodeAttempt {
  readonly employeeId: string;
  readonly passcode: string;
  readonly holder: PasscodeHolder | undefined;
}

async function verifyPasscode(
  context: DeviceContext,
  { employeeId, passcode, holder }: PasscodeAttempt,
): Promise<VerifiedEmployee> {
  const { database, merchant, device } = context;
  const employee = await limitAttempts(database, subjectsOf(merchant.id, device.id, employeeId), async () =>
    (await passcodeMatches(context, passcode, holder?.passcodeHash ?? undefined)) ? holder : undefined,
  );
  if (employee?.passcodeHash == null)
    throw new Refusal('UNAUTHORIZED', { detail: 'The employee id or the passcode is wrong.' });
  if (employee.status !== 'ACTIVE') {
    throw new Refusal('FORBIDDEN', {
      detail: 'The employee is INACTIVE. Activate the employee in the dashboard first.',
    });
  }
  if (employee.locationIds.length > 0 && !employee.locationIds.includes(device.locationId)) {
    throw new Refusal('FORBIDDEN', { detail: 'The employee is not authorized at the location of this device.' });
  }
  return { employeeId, passcodeHash: employee.passcodeHash };
}

/**
 * Limits for one employee at a device, for the device, and for the merchant. With only the first one, somebody could try the same
 * passcode for every employee.
 */
function subjectsOf(merchantId: string, deviceId: string, employeeId: string): [AttemptSubject, ...AttemptSubject[]] {
  return [
    { name: `register:${merchantId}:${deviceId}:${employeeId}`, maxFailures: MAX_FAILED_ATTEMPTS },
    { name: `register:${merchantId}:${deviceId}`, maxFailures: MAX_FAILED_ATTEMPTS_PER_DEVICE },
    { name: `register:${merchantId}`, maxFailures: MAX_FAILED_ATTEMPTS_PER_MERCHANT },
  ];
}

/** For an employee whose passcode was correct, and who lost the right to work here while the request ran. */
export function noLongerAllowed(): Refusal {
  return new Refusal('FORBIDDEN', { detail: 'The employee is no longer allowed to sign in at this device.' });
}

/** Returns the session token. Only its hash is stored. */
export async function openRegisterSession(
  { tx, enter }: Issuing,
  who: { readonly merchantId: string; readonly deviceId: string; readonly employeeId: string },
): Promise<string> {
  const [session, createdAt] = [newSecret('', 43), realNow()];
  const expiresAt = instant(createdAt + SESSION_LIFETIME_MS);
  const hash = hashSecret(session);
  if (!(await insertRegisterSession(tx, { ...who, hash, createdAt, expiresAt }))) {
    throw noLongerAllowed();
  }
  enter(who.merchantId, hash);
  return session;
}
