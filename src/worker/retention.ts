/** Deletes expired rows in small batches (decision 0078). Any number of servers can run this on one database. */
import { setTimeout as sleep } from 'node:timers/promises';
import { deleteOrphans } from '../access/orphans.js';
import { deleteExpired } from '../access/retention.js';
import { deleteOldAttempts, type ExpiringCredential, listMerchantsWithExpired } from '../access/retention-queries.js';
import { realNow } from '../base/clock.js';
import { DEFAULT_KEPT_FOR, type KeptFor } from '../base/config.js';
import { DAY_MS, HOUR_MS, type Instant, instant, MINUTE_MS } from '../base/time.js';
import { deleteUnusedPictures, listMerchantsWithOldPictures } from '../business/pictures/queries.js';
import type { Database } from '../database/database.js';
import { recordFunctionUse } from '../database/functions.js';
import { listShards } from '../database/shards.js';
import {
  deleteEndedSubscriptions,
  deleteOldEvents,
  listMerchantsWithEndedSubscriptions,
  listMerchantsWithOldEvents,
} from '../events/retention-queries.js';
import { deleteOldAuditEvents, listMerchantsWithOldAudit } from '../identity/audit-queries.js';

const PAUSE_MS = HOUR_MS;
/** Small, so that no other statement waits long for the locks. */
const MAX_ROWS_PER_DELETE = 1000;

/** From the expiry of a credential. */
const CREDENTIAL_RETENTION_MS: Readonly<Record<ExpiringCredential, number>> = {
  'authorization codes': DAY_MS,
  /**
   * They can be renewed for 15 days (decision 0073). For 30 more days, a request to renew or revoke one gets the reason
   * why not.
   */
  'access tokens': 45 * DAY_MS,
  'refresh tokens': 30 * DAY_MS,
  sessions: DAY_MS,
  /** A register can send a write three days late, of somebody who signed in a week before; the server then looks it up (decision 0155). */
  'register sessions': 11 * DAY_MS,
};
/** From the upload of a picture that nothing uses (decision 0145). */
const PICTURE_RETENTION_MS = DAY_MS;
/** From the end of the window in which failed sign-ins are counted. */
const ATTEMPT_RETENTION_MS = DAY_MS;

/** Longer than a request takes: then a credential has its entry in the directory, or never will. */
const ORPHAN_AGE_MS = 10 * MINUTE_MS;
/** How far back the first search for orphans goes. A server that crashed is usually restarted sooner. */
const FIRST_SWEEP_MS = 7 * DAY_MS;

export interface Retention {
  /** Waits for the statement in flight. */
  stop(): Promise<void>;
}

/** Events are kept from their creation, in real time as deliveries (decision 0040). */
export function startRetention(
  database: Database,
  onError: (error: unknown) => void,
  keptFor: KeptFor = DEFAULT_KEPT_FOR,
): Retention {
  const stopping = new AbortController();
  const { signal } = stopping;
  const running = (async () => {
    let sweptUntil = instant(realNow() - FIRST_SWEEP_MS);
    while (!signal.aborted) {
      await database.statement(recordFunctionUse).catch(onError);
      await deleteExpiredRows(database, realNow(), { signal, onError, keptFor });
      const until = instant(realNow() - ORPHAN_AGE_MS);
      await deleteOrphans(database, { from: sweptUntil, until, signal }).then(() => {
        sweptUntil = until;
      }, onError);
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

interface RetentionContext {
  readonly signal: AbortSignal;
  readonly onError: (error: unknown) => void;
  readonly keptFor: KeptFor;
}

/** Continues with the next kind or merchant if one fails. */
async function deleteExpiredRows(
  database: Database,
  now: Instant,
  { signal, onError, keptFor }: RetentionContext,
): Promise<void> {
  const limit = MAX_ROWS_PER_DELETE;
  const orNone = (error: unknown): readonly string[] => {
    onError(error);
    return [];
  };
  const deleteInBatches = async (deleteSome: () => Promise<number>): Promise<void> => {
    while (!signal.aborted && (await deleteSome()) === limit);
  };
  const oldAttempts = { before: instant(now - ATTEMPT_RETENTION_MS), limit };
  await deleteInBatches(() => database.statement((tx) => deleteOldAttempts(tx, oldAttempts))).catch(onError);
  const oldAudit = { before: instant(now - keptFor.auditMs), limit };
  const oldEvents = { before: instant(now - keptFor.eventsMs), limit };
  const oldPictures = { before: instant(now - PICTURE_RETENTION_MS), limit };
  const { sql } = database;
  for (const shard of await listShards(sql).catch(orNone)) {
    for (const kind of Object.keys(CREDENTIAL_RETENTION_MS) as ExpiringCredential[]) {
      const expired = { before: instant(now - CREDENTIAL_RETENTION_MS[kind]), limit };
      for (const merchantId of await listMerchantsWithExpired(sql, shard, { kind, ...expired }).catch(orNone)) {
        await deleteInBatches(() => deleteExpired(database, kind, merchantId, expired)).catch(onError);
      }
    }
    for (const merchantId of await listMerchantsWithEndedSubscriptions(sql, shard, now).catch(orNone)) {
      await database.statement((tx) => deleteEndedSubscriptions(tx, merchantId, now)).catch(onError);
    }
    for (const merchantId of await listMerchantsWithOldAudit(sql, shard, oldAudit.before).catch(orNone)) {
      await deleteInBatches(() => database.statement((tx) => deleteOldAuditEvents(tx, merchantId, oldAudit))).catch(
        onError,
      );
    }
    for (const merchantId of await listMerchantsWithOldPictures(sql, shard, oldPictures.before).catch(orNone)) {
      await deleteInBatches(() => database.statement((tx) => deleteUnusedPictures(tx, merchantId, oldPictures))).catch(
        onError,
      );
    }
    for (const merchantId of await listMerchantsWithOldEvents(sql, shard, oldEvents.before).catch(orNone)) {
      await deleteInBatches(() => database.statement((tx) => deleteOldEvents(tx, merchantId, oldEvents))).catch(
        onError,
      );
    }
  }
}
