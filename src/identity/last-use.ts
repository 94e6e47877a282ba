/** Records that a session, a personal token or a device was used. */
import { realNow } from '../base/clock.js';
import { hashSecret } from '../base/secrets.js';
import { type Instant, MINUTE_MS } from '../base/time.js';
import type { Database, Tx } from '../database/database.js';
import type { Account, Caller, Device } from './caller.js';
import { updateDeviceLastUse, updateLastUse, updateTokenLastUse } from './credential-queries.js';

/** At most one write in this time, so that most requests need none. */
const LAST_USE_INTERVAL_MS = 5 * MINUTE_MS;

interface Used {
  readonly lastUsedAt: Instant | null;
}

/** Objects whose last use was sent to the database. The next cache refresh replaces each of them by one that has the new time. */
const recorded = new WeakSet<Used>();

export function recordSessionUse(database: Database, account: Account, session: string): void {
  record(database, account, (tx, now) => updateLastUse(tx, account.merchant.id, hashSecret(session), now));
}

/** Tokens of authorizations are renewed by their application, and nobody looks at their use. */
export function recordTokenUse(database: Database, caller: Caller): void {
  if (caller.authorizationId !== null) return;
  record(database, caller, (tx, now) =>
    updateTokenLastUse(tx, caller.merchant.id, Buffer.from(caller.tokenHash, 'hex'), now),
  );
}

export function recordDeviceUse(database: Database, device: Device): void {
  record(database, device, (tx, now) => updateDeviceLastUse(tx, device.merchant.id, device.id, now));
}

/** Does not wait for the write, so that it delays no request. */
function record(database: Database, used: Used, write: (tx: Tx, now: Instant) => Promise<void>): void {
  const now = realNow();
  if ((used.lastUsedAt !== null && now - used.lastUsedAt < LAST_USE_INTERVAL_MS) || recorded.has(used)) return;
  recorded.add(used);
  void database.statement((tx) => write(tx, now)).catch(() => {});
}
