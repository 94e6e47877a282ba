/** The owner's sessions: sign-in by email and password, confirmation by password, sign-out, and changes of the password. */
import { RECENT_SIGN_IN_MS } from '../../api/authorize.js';
import type { OwnerContext, ServerContext } from '../../api/operation.js';
import type { RequestRate } from '../../api/request-rate.js';
import type { Visitor } from '../../api/visitor.js';
import { realNow } from '../../base/clock.js';
import { Refusal } from '../../base/errors.js';
import { newSecret } from '../../base/ids.js';
import { hashSecret } from '../../base/secrets.js';
import { HOUR_MS, instant } from '../../base/time.js';
import type { Database } from '../../database/database.js';
import { actorOf, changeAudited, recordAudit } from '../../identity/audit.js';
import type { SessionSurface } from '../../identity/credential-queries.js';
import { issueCredentials } from '../../identity/directory.js';
import { deleteAttempts } from '../attempt-queries.js';
import { type AttemptSubject, limitAttempts, MAX_FAILED_ATTEMPTS } from '../attempts.js';
import { hashPassword, passwordMatches } from '../passwords.js';
import { printKnownDevice, verifyKnownDevice } from './known-devices.js';
import {
  findAccountByEmail,
  insertSession,
  lockAccount,
  moveSessionToRevoked,
  type StoredAccount,
  updateConfirmation,
  updatePassword,
} from './queries.js';

/** Authorizing an application issues tokens, so it requires a recent sign-in. It takes about a minute, so the session can be short. */
export const SESSION_LIFETIME_MS: Readonly<Record<SessionSurface, number>> = {
  dashboard: 12 * HOUR_MS,
  oauth2: RECENT_SIGN_IN_MS,
};

/** An owner has a few browsers. */
const MAX_FAILED_ATTEMPTS_OF_KNOWN_DEVICES = 20;

export interface SignedIn {
  readonly session: string;
  readonly merchantId: string;
  readonly email: string;
  /** The value of the cookie by which the browser is known at the next sign-in. */
  readonly device: string;
}

export interface SignInAttempt {
  readonly email: string;
  readonly password: string;
  readonly surface: SessionSurface;
  readonly visitor: Visitor;
  /** Sent by a browser from which the owner has signed in before. */
  readonly deviceCookie: string | undefined;
}

/**
 * All surfaces share one count of failed attempts, so that another surface gives no further guesses. The count uses the email as it
 * is stored, not as it was entered: PostgreSQL may find an account by spellings that `toLowerCase` does not make equal.
 */
export async function signIn(context: ServerContext, attempt: SignInAttempt): Promise<SignedIn | undefined> {
  const { database, keyedHash, securityLog } = context;
  const { email, password, surface, visitor, deviceCookie } = attempt;
  const account = await findAccountByEmail(database.sql, email);
  const deviceId = account && verifyKnownDevice(keyedHash, account, deviceCookie);
  const subjects =
    account && deviceId !== undefined
      ? knownDeviceSubjects(account.accountId, deviceId)
      : ([{ name: unknownDeviceSubject(account?.email ?? email), maxFailures: MAX_FAILED_ATTEMPTS }] as const);
  const check = () =>
    limitAttempts(database, subjects, async () => {
      if (!(await passwordMatches(visitor.network, password, account?.passwordHash)) || !account) return undefined;
      const session = await openSession(database, account, surface, visitor);
      return session === undefined ? undefined : { account, session };
    });
  const actor = { merchantId: account?.merchantId, accountId: account?.accountId, address: visitor.address };
  try {
    const opened = await limitFailures(context, visitor, deviceId !== undefined, check);
    if (!opened) {
      securityLog.record({ kind: 'OWNER_SIGN_IN_FAILED', ...actor, details: { reason: 'wrong password', surface } });
      return undefined;
    }
    const device = printKnownDevice(keyedHash, opened.account, deviceId);
    return { session: opened.session, merchantId: opened.account.merchantId, email: opened.account.email, device };
  } catch (error) {
    const reason = error instanceof Refusal ? error.reason : undefined;
    if (reason) securityLog.record({ kind: 'OWNER_SIGN_IN_FAILED', ...actor, details: { reason, surface } });
    throw error;
  }
}

/** For the demo business: its owner is signed in without the password. The caller has checked that this is allowed. */
export async function signInWithoutPassword(
  { database, keyedHash }: ServerContext,
  email: string,
  visitor: Visitor,
): Promise<SignedIn | undefined> {
  const account = await findAccountByEmail(database.sql, email);
  const session = account && (await openSession(database, account, 'dashboard', visitor));
  if (!account || session === undefined) return undefined;
  const device = printKnownDevice(keyedHash, account);
  return { session, merchantId: account.merchantId, email: account.email, device };
}

/** The subject of attempts from unknown devices. */
function unknownDeviceSubject(email: string): string {
  return `dashboard:${email.toLowerCase()}`;
}

/** A browser has a few attempts, and all known browsers of an account have some together: an account can have many of them. */
function knownDeviceSubjects(accountId: string, deviceId: string): readonly [AttemptSubject, AttemptSubject] {
  return [
    { name: `known-device:${accountId}:${deviceId}`, maxFailures: MAX_FAILED_ATTEMPTS },
    { name: `known-devices:${accountId}`, maxFailures: MAX_FAILED_ATTEMPTS_OF_KNOWN_DEVICES },
  ];
}

/**
 * Limits failed attempts by network, and those from unknown devices in total. Known devices have a count of their own, so that strangers
 * in the network of the owner do not lock out the owner's browser. What neither succeeds nor is refused for a wrong password or for too
 * many of them does not count.
 */
async function limitFailures<Result>(
  { limits: { guards } }: ServerContext,
  { network }: Visitor,
  isKnown: boolean,
  check: () => Promise<Result | undefined>,
): Promise<Result | undefined> {
  const counts: readonly (readonly [RequestRate, string])[] = isKnown
    ? [[guards.failedKnownSignIns, network]]
    : [
        [guards.failedSignIns, network],
        [guards.allFailedSignIns, 'all'],
      ];
  for (const [rate, key] of counts) rate.count(key);
  let isFailure = false;
  try {
    const result = await check();
    isFailure = result === undefined;
    return result;
  } catch (error) {
    isFailure = error instanceof Refusal && error.reason === 'RATE_LIMITED';
    throw error;
  } finally {
    if (!isFailure) for (const [rate, key] of counts) rate.uncount(key);
  }
}

async function openSession(
  database: Database,
  { accountId, merchantId, passwordHash }: StoredAccount,
  surface: SessionSurface,
  { address, userAgent }: Visitor,
): Promise<string | undefined> {
  const [session, createdAt] = [newSecret('', 43), realNow()];
  const expiresAt = instant(createdAt + SESSION_LIFETIME_MS[surface]);
  const row = { hash: hashSecret(session), surface, accountId, merchantId, createdAt, expiresAt, address, userAgent };
  const entry = { kind: 'OWNER_SIGNED_IN', merchantId, accountId, address, details: { surface } } as const;
  return issueCredentials(database, async ({ tx, enter }) => {
    if (!(await insertSession(tx, row, passwordHash))) return undefined;
    enter(merchantId, row.hash);
    await recordAudit(tx, entry);
    return session;
  });
}

export async function signOut(context: OwnerContext): Promise<void> {
  const { database, merchant, session } = context;
  await changeAudited(database, { kind: 'OWNER_SIGNED_OUT', ...actorOf(context) }, (tx) =>
    moveSessionToRevoked(tx, merchant.id, hashSecret(session), realNow()),
  );
}

/** Guesses are limited in a session as they are at the sign-in: the session may be stolen. */
async function requirePassword(context: OwnerContext, password: string): Promise<StoredAccount> {
  const { database, account, securityLog, visitor } = context;
  const subject = {
    name: `session:${account.id}:${hashSecret(context.session).toString('hex')}`,
    maxFailures: MAX_FAILED_ATTEMPTS,
  };
  const stored = await limitAttempts(database, [subject], async () => {
    const known = await findAccountByEmail(database.sql, account.email);
    return (await passwordMatches(visitor.network, password, known?.passwordHash)) ? known : undefined;
  });
  if (stored) return stored;
  securityLog.record({ kind: 'OWNER_SIGN_IN_FAILED', ...actorOf(context), details: { reason: 'wrong password' } });
  throw wrongPassword();
}

function wrongPassword(): Refusal {
  return new Refusal('FORBIDDEN', { detail: 'The password is wrong.' });
}

/** Makes the session count as a recent sign-in again. */
export async function confirmPassword(context: OwnerContext, password: string): Promise<void> {
  await requirePassword(context, password);
  await changeAudited(context.database, { kind: 'PASSWORD_CONFIRMED', ...actorOf(context) }, (tx) =>
    updateConfirmation(tx, context.merchant.id, hashSecret(context.session), realNow()),
  );
}

/** Ends every other session. Returns the new value of the device cookie. */
export async function changePassword(
  context: OwnerContext,
  { oldPassword, newPassword }: { readonly oldPassword: string; readonly newPassword: string },
): Promise<string> {
  const stored = await requirePassword(context, oldPassword);
  const [account, hash, now] = [
    { ...stored, passwordHash: await hashPassword(newPassword, context.visitor.network) },
    hashSecret(context.session),
    realNow(),
  ];
  await context.database.transaction(async (tx) => {
    if (!(await lockAccount(tx, stored))) throw wrongPassword(); // another request changed it first
    await updatePassword(tx, account, now, hash);
    await updateConfirmation(tx, stored.merchantId, hash, now);
    await recordAudit(tx, { kind: 'PASSWORD_CHANGED', ...actorOf(context) });
  });
  return printKnownDevice(context.keyedHash, account);
}

/** For the operator, if an owner has lost the password. Ends every session. Returns the id of the owner's merchant. */
export async function resetPassword(database: Database, email: string, password: string): Promise<string | undefined> {
  const account = await findAccountByEmail(database.sql, email);
  if (!account) return undefined;
  const { accountId, merchantId } = account;
  const changed = { ...account, passwordHash: await hashPassword(password) };
  await database.transaction(async (tx) => {
    await updatePassword(tx, changed, realNow());
    await deleteAttempts(tx, hashSecret(unknownDeviceSubject(account.email))); // they were guesses at the old password
    await recordAudit(tx, { kind: 'PASSWORD_RESET', merchantId, accountId });
  });
  return merchantId;
}
