/** The owner's sessions: opened by an email and a password, ended by the owner or by time. */
import { realNow } from '../base/clock.js';
import { newSecret } from '../base/ids.js';
import { hashSecret } from '../base/secrets.js';
import { HOUR_MS, instant } from '../base/time.js';
import type { Database } from '../database/database.js';
import { limitAttempts } from './attempts.js';
import { passwordMatches } from './passwords.js';
import { findAccount, insertSession, moveSessionToRevoked, type SessionSurface } from './queries.js';

/** Allowing an application is over in a minute, and the next one comes rarely. */
export const SESSION_LIFETIME_MS: Readonly<Record<SessionSurface, number>> = {
  dashboard: 12 * HOUR_MS,
  oauth2: HOUR_MS,
};

export interface SignedIn {
  readonly session: string;
  readonly merchantId: string;
  readonly email: string;
}

/**
 * One count of wrong guesses for all surfaces: a second door is no second chance. Nor is a second spelling, so an account is
 * counted by its own: the database takes letters for the same that we take for different ones.
 */
export async function signIn(
  database: Database,
  { email, password, surface }: { email: string; password: string; surface: SessionSurface },
): Promise<SignedIn | undefined> {
  const account = await findAccount(database.sql, email);
  return limitAttempts(database, `dashboard:${(account?.email ?? email).toLowerCase()}`, async () => {
    if (!(await passwordMatches(password, account?.passwordHash)) || !account) return undefined;
    const [session, createdAt] = [newSecret('', 43), realNow()];
    const { accountId, merchantId } = account;
    const expiresAt = instant(createdAt + SESSION_LIFETIME_MS[surface]);
    await database.statement((tx) =>
      insertSession(tx, { hash: hashSecret(session), surface, accountId, merchantId, createdAt, expiresAt }),
    );
    return { session, merchantId, email: account.email };
  });
}

export async function signOut(database: Database, session: string): Promise<void> {
  await database.statement((tx) => moveSessionToRevoked(tx, hashSecret(session), realNow()));
}
