/** Sessions of the dashboard: opened by an email and a password, ended by the owner or by time. */
import { realNow } from '../base/clock.js';
import { newSecret } from '../base/ids.js';
import { hashSecret } from '../base/secrets.js';
import { instant } from '../base/time.js';
import type { Database } from '../database/database.js';
import { limitAttempts } from './attempts.js';
import { passwordMatches } from './passwords.js';
import { findAccount, insertSession, revokeSession } from './queries.js';

export const SESSION_LIFETIME_MS = 12 * 60 * 60 * 1000;

export interface SignedIn {
  readonly session: string;
  readonly merchantId: string;
  readonly email: string;
}

export async function signIn(database: Database, email: string, password: string): Promise<SignedIn | undefined> {
  return limitAttempts(database, `dashboard:${email.toLowerCase()}`, async () => {
    const account = await findAccount(database.sql, email);
    if (!(await passwordMatches(password, account?.passwordHash)) || !account) return undefined;
    const [session, createdAt] = [newSecret('', 43), realNow()];
    const { accountId, merchantId } = account;
    const expiresAt = instant(createdAt + SESSION_LIFETIME_MS);
    await database.statement((tx) =>
      insertSession(tx, { hash: hashSecret(session), accountId, merchantId, createdAt, expiresAt }),
    );
    return { session, merchantId, email: account.email };
  });
}

export async function signOut(database: Database, session: string): Promise<void> {
  await database.statement((tx) => revokeSession(tx, hashSecret(session), realNow()));
}
