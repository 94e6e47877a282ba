/** Removes what is over, a little at a time (decision 0078). Any number of servers may run it on one database. */
import { setTimeout as sleep } from 'node:timers/promises';
import { deleteExpired, type ExpiringCredential } from '../access/retention-queries.js';
import { realNow } from '../base/clock.js';
import { DAY_MS, HOUR_MS, type Instant, instant } from '../base/time.js';
import type { Database } from '../database/database.js';
import { deleteEndedSubscriptions, deleteOldEvents, listMerchantsWithOldEvents } from '../events/retention-queries.js';
import { deleteOldAuditEvents } from '../identity/audit-queries.js';

const PAUSE_MS = HOUR_MS;
/** Few enough that nobody else waits for them. */
const MOST_AT_ONCE = 1000;

/** Of webhook events, counted from when they happened; everything about telling is in real time (decision 0040). */
const EVENTS_KEPT_MS = 30 * DAY_MS;
/** Longer than a year, so that whoever looks back once a year sees all of it. */
const AUDIT_KEPT_MS = 400 * DAY_MS;
/** Of credentials, counted from their end. */
const KEPT_MS: Readonly<Record<ExpiringCredential, number>> = {
  'authorization codes': DAY_MS,
  /** They can be renewed for 15 days (decision 0073), and revoking or renewing them tells why not for another 30. */
  'access tokens': 45 * DAY_MS,
  'refresh tokens': 30 * DAY_MS,
  sessions: DAY_MS,
  /** A sale that comes up to three days late may ask who was signed in (decision 0110). */
  'register sessions': 4 * DAY_MS,
  'sign-in attempts': DAY_MS,
};

export interface Retention {
  /** Finishes the statement that is under way. */
  stop(): Promise<void>;
}

export function startRetention(database: Database, onTrouble: (error: unknown) => void): Retention {
  const stopping = new AbortController();
  const { signal } = stopping;
  const running = (async () => {
    while (!signal.aborted) {
      await removeWhatIsOver(database, realNow(), { signal, onTrouble });
      await sleep(PAUSE_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

interface Circumstances {
  readonly signal: AbortSignal;
  readonly onTrouble: (error: unknown) => void;
}

/** What fails for one kind or merchant keeps the others no longer than it must. */
async function removeWhatIsOver(database: Database, now: Instant, { signal, onTrouble }: Circumstances): Promise<void> {
  const limit = MOST_AT_ONCE;
  const repeat = async (removeSome: () => Promise<number>): Promise<void> => {
    while (!signal.aborted && (await removeSome()) === limit);
  };
  for (const kind of Object.keys(KEPT_MS) as ExpiringCredential[]) {
    const over = { endedBefore: instant(now - KEPT_MS[kind]), limit };
    await repeat(() => database.statement((tx) => deleteExpired(tx, kind, over))).catch(onTrouble);
  }
  await repeat(() => database.statement((tx) => deleteEndedSubscriptions(tx, limit))).catch(onTrouble);
  const oldAudit = { before: instant(now - AUDIT_KEPT_MS), limit };
  await repeat(() => database.statement((tx) => deleteOldAuditEvents(tx, oldAudit))).catch(onTrouble);
  const old = { before: instant(now - EVENTS_KEPT_MS), limit };
  const merchantIds = await listMerchantsWithOldEvents(database.sql, old.before).catch((error: unknown) => {
    onTrouble(error);
    return [];
  });
  for (const merchantId of merchantIds) {
    await repeat(() => database.statement((tx) => deleteOldEvents(tx, merchantId, old))).catch(onTrouble);
  }
}
