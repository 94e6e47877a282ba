/** Records that a session was used. */
import { realNow } from '../base/clock.js';
import { hashSecret } from '../base/secrets.js';
import { MINUTE_MS } from '../base/time.js';
import type { Database } from '../database/database.js';
import type { Account } from './caller.js';
import { updateLastUse } from './credential-queries.js';

/** At most one write in this time, so that most requests need none. */
const LAST_USE_INTERVAL_MS = 5 * MINUTE_MS;

/** Accounts whose last use has been sent to the database. The next cache refresh replaces the object with one that has the new time. */
const recorded = new WeakSet<Account>();

/** Does not wait for the write, so that it delays no request. */
export function recordSessionUse(database: Database, account: Account, session: string): void {
  const now = realNow();
  if (now - account.lastUsedAt < LAST_USE_INTERVAL_MS || recorded.has(account)) return;
  recorded.add(account);
  void database.statement((tx) => updateLastUse(tx, account.merchant.id, hashSecret(session), now)).catch(() => {});
}
