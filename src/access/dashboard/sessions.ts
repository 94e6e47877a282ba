/** The owner's sessions: opened by an email and a password, confirmed by the password, ended by the owner or by time. */
import { RECENT_SIGN_IN_MS } from '../../api/authorize.js';
import type { OwnerContext, ServerContext } from '../../api/operation.js';
import type { Visitor } from '../../api/visitor.js';
import { realNow } from '../../base/clock.js';
import { Refusal } from '../../base/errors.js';
import { newSecret } from '../../base/ids.js';
import { hashSecret } from '../../base/secrets.js';
import { HOUR_MS, instant } from '../../base/time.js';
import type { Database } from '../../database/database.js';
import { actorOf, changeAudited, recordAudit } from '../../identity/audit.js';
import type { SessionSurface } from '../../identity/credential-queries.js';
import { deleteAttempts } from '../attempt-queries.js';
import { limitAttempts, MOST_FAILURES } from '../attempts.js';
import { hashPassword, passwordMatches } from '../passwords.js';
import { printDevice, readDevice } from './known-devices.js';
import {
  findAccount,
  insertSession,
  lockAccount,
  moveSessionToRevoked,
  type StoredAccount,
  updateConfirmation,
  updatePassword,
} from './queries.js';

/** Allowing an application gives tokens away, so it needs a recent sign-in too, and is over in a minute. */
export const SESSION_LIFETIME_MS: Readonly<Record<SessionSurface, number>> = {
  dashboard: 12 * HOUR_MS,
  oauth2: RECENT_SIGN_IN_MS,
};

export interface SignedIn {
  readonly session: string;
  readonly merchantId: string;
  readonly email: string;
  /** What the browser keeps to be known by from now on. */
  readonly device: string;
}

export interface SignInAttempt {
  readonly email: string;
  readonly password: string;
  readonly surface: SessionSurface;
  readonly visitor: Visitor;
  /** The cookie of a browser that was here before. */
  readonly deviceCookie: string | undefined;
}

/**
 * One count of wrong guesses for all surfaces: a second door is no second chance. Nor is a second spelling, so an account is
 * counted by its own: the database takes letters for the same that we take for different ones.
 */
export async function signIn(context: ServerContext, attempt: SignInAttempt): Promise<SignedIn | undefined> {
  const { database, keyedHash, securityLog } = context;
  const { email, password, surface, visitor, deviceCookie } = attempt;
  const account = await findAccount(database.sql, email);
  const deviceId = account && readDevice(keyedHash, account, deviceCookie);
  const subject =
    account && deviceId !== undefined
      ? `known-device:${account.accountId}:${deviceId}`
      : strangerSubject(account?.email ?? email);
  const check = () =>
    limitAttempts(database, [{ name: subject, most: MOST_FAILURES }], async () => {
      if (!(await passwordMatches(password, account?.passwordHash)) || !account) return undefined;
      const session = await openSession(database, account, surface, visitor);
      return session === undefined ? undefined : { account, session };
    });
  const actor = { merchantId: account?.merchantId, accountId: account?.accountId, address: visitor.address };
  try {
    const opened = await (deviceId === undefined ? limitStrangers(context, visitor, check) : check());
    if (!opened) {
      securityLog.note({ kind: 'OWNER_SIGN_IN_FAILED', ...actor, details: { reason: 'wrong password', surface } });
      return undefined;
    }
    const device = printDevice(keyedHash, opened.account, deviceId);
    return { session: opened.session, merchantId: opened.account.merchantId, email: opened.account.email, device };
  } catch (error) {
    const reason = error instanceof Refusal ? error.reason : undefined;
    if (reason) securityLog.note({ kind: 'OWNER_SIGN_IN_FAILED', ...actor, details: { reason, surface } });
    throw error;
  }
}

/** What is counted against from devices that are not known. */
function strangerSubject(email: string): string {
  return `dashboard:${email.toLowerCase()}`;
}

/** By address and in all. What succeeds does not count, and a device that is known is not counted here. */
async function limitStrangers<Result>(
  { limits: { guards } }: ServerContext,
  { network }: Visitor,
  check: () => Promise<Result | undefined>,
): Promise<Result | undefined> {
  guards.failedSignIns.count(network);
  let result: Result | undefined;
  try {
    guards.allFailedSignIns.count('all');
    result = await check();
    if (result !== undefined) guards.allFailedSignIns.giveBack('all');
  } finally {
    if (result !== undefined) guards.failedSignIns.giveBack(network);
  }
  return result;
}

async function openSession(
  database: Database,
  { accountId, merchantId, passwordHash }: StoredAccount,
  surface: SessionSurface,
  { address, userAgent }: Visitor,
): Promise<string | undefined> {
  const [session, createdAt] = [newSecret('', 43), realNow()];
  const expiresAt = instant(createdAt + SESSION_LIFETIME_MS[surface]);
  const kept = { hash: hashSecret(session), surface, accountId, merchantId, createdAt, expiresAt, address, userAgent };
  const entry = { kind: 'OWNER_SIGNED_IN', merchantId, accountId, address, details: { surface } } as const;
  return (await changeAudited(database, entry, (tx) => insertSession(tx, kept, passwordHash))) ? session : undefined;
}

export async function signOut(context: OwnerContext): Promise<void> {
  const { database, session } = context;
  await changeAudited(database, { kind: 'OWNER_SIGNED_OUT', ...actorOf(context) }, (tx) =>
    moveSessionToRevoked(tx, hashSecret(session), realNow()),
  );
}

/** Whoever holds a session may guess as little as whoever does not. */
async function requirePassword(context: OwnerContext, password: string): Promise<StoredAccount> {
  const { database, account, securityLog } = context;
  const subject = { name: `session:${account.id}:${hashSecret(context.session).toString('hex')}`, most: MOST_FAILURES };
  const stored = await limitAttempts(database, [subject], async () => {
    const known = await findAccount(database.sql, account.email);
    return (await passwordMatches(password, known?.passwordHash)) ? known : undefined;
  });
  if (stored) return stored;
  securityLog.note({ kind: 'OWNER_SIGN_IN_FAILED', ...actorOf(context), details: { reason: 'wrong password' } });
  throw wrongPassword();
}

function wrongPassword(): Refusal {
  return new Refusal('FORBIDDEN', { detail: 'The password is wrong.' });
}

/** Proves that the owner is still there: from now on the session counts as recent again. */
export async function confirmPassword(context: OwnerContext, password: string): Promise<void> {
  await requirePassword(context, password);
  await changeAudited(context.database, { kind: 'PASSWORD_CONFIRMED', ...actorOf(context) }, (tx) =>
    updateConfirmation(tx, hashSecret(context.session), realNow()),
  );
}

/** Ends every other session; returns what this browser is known by from now on. */
export async function changePassword(
  context: OwnerContext,
  { oldPassword, newPassword }: { readonly oldPassword: string; readonly newPassword: string },
): Promise<string> {
  const stored = await requirePassword(context, oldPassword);
  const [account, hash, now] = [
    { ...stored, passwordHash: await hashPassword(newPassword) },
    hashSecret(context.session),
    realNow(),
  ];
  await context.database.transaction(async (tx) => {
    if (!(await lockAccount(tx, stored))) throw wrongPassword(); // another change came first
    await updatePassword(tx, account, now, hash);
    await updateConfirmation(tx, hash, now);
    await recordAudit(tx, { kind: 'PASSWORD_CHANGED', ...actorOf(context) });
  });
  return printDevice(context.keyedHash, account);
}

/** By the operator, for an owner who has lost it: ends every session. Returns whose owner it is. */
export async function resetPassword(database: Database, email: string, password: string): Promise<string | undefined> {
  const account = await findAccount(database.sql, email);
  if (!account) return undefined;
  const { accountId, merchantId } = account;
  const changed = { ...account, passwordHash: await hashPassword(password) };
  await database.transaction(async (tx) => {
    await lockAccount(tx, account);
    await updatePassword(tx, changed, realNow());
    await deleteAttempts(tx, hashSecret(strangerSubject(account.email))); // whatever was guessed, it was another password
    await recordAudit(tx, { kind: 'PASSWORD_RESET', merchantId, accountId });
  });
  return merchantId;
}
