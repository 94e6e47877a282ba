/** Deletes expired rows in small batches (decision 0078). Any number of servers can run this on one database. */
import { setTimeout as sleep } from 'node:timers/promises';
import { deleteOldWrites, listMerchantsWithOldWrites } from '../access/devices/write-retention-queries.js';
import { RENEWABLE_MS } from '../access/oauth/grants.js';
import { deleteOrphans } from '../access/orphans.js';
import { deleteExpired } from '../access/retention.js';
import { deleteOldAttempts, type ExpiringCredential, listMerchantsWithExpired } from '../access/retention-queries.js';
import { realNow } from '../base/clock.js';
import { DEFAULT_KEPT_FOR, type KeptFor } from '../base/config.js';
import { DAY_MS, HOUR_MS, type Instant, instant, MINUTE_MS } from '../base/time.js';
import { deleteUnusedPictures, listMerchantsWithOldPictures } from '../business/pictures/queries.js';
import type { Database, Sql, Tx } from '../database/database.js';
import { recordFunctionUse } from '../database/functions.js';
import { listShards } from '../database/shards.js';
import {
  deleteEndedSubscriptions,
  deleteOldEvents,
  listMerchantsWithEndedSubscriptions,
  listMerchantsWithOldEvents,
} from '../events/retention-queries.js';
import { deleteOldAuditEvents, listMerchantsWithOldAudit } from '../identity/audit-queries.js';
import { deleteOldKeys, listMerchantsWithOldKeys } from './key-retention-queries.js';

const PAUSE_MS = HOUR_MS;
/** Small, so that no other statement waits long for the locks. */
const MAX_ROWS_PER_DELETE = 1000;

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

interface OldRows {
  readonly before: Instant;
  readonly limit: number;
}

/** Rows of merchants that are deleted after a time. */
interface Kind {
  /** Undefined: forever. */
  readonly keptMs: number | undefined;
  /** The merchants of a shard that have some before a time. */
  readonly list: (sql: Sql, shard: string, before: Instant) => Promise<readonly string[]>;
  /** Returns how many rows it deleted. As many as the limit: there may be more. */
  readonly delete: (database: Database, merchantId: string, old: OldRows) => Promise<number>;
}

/** The retention of credentials begins when they expire, that of other rows when they were made. */
function kindsOf(keptFor: KeptFor): readonly Kind[] {
  const credentials: Readonly<Record<ExpiringCredential, number | undefined>> = {
    'authorization codes': keptFor.codes,
    'access tokens': keptFor.tokens && RENEWABLE_MS + keptFor.tokens,
    'refresh tokens': keptFor.tokens,
    sessions: keptFor.sessions,
    'register sessions': keptFor['register-sessions'],
  };
  return [
    ...Object.entries(credentials).map(([name, keptMs]) => toExpiringKind(name as ExpiringCredential, keptMs)),
    { keptMs: keptFor.audit, list: listMerchantsWithOldAudit, delete: inStatement(deleteOldAuditEvents) },
    { keptMs: keptFor.pictures, list: listMerchantsWithOldPictures, delete: inStatement(deleteUnusedPictures) },
    { keptMs: keptFor.keys, list: listMerchantsWithOldKeys, delete: inStatement(deleteOldKeys) },
    { keptMs: keptFor['register-writes'], list: listMerchantsWithOldWrites, delete: inStatement(deleteOldWrites) },
    { keptMs: keptFor.events, list: listMerchantsWithOldEvents, delete: inStatement(deleteOldEvents) },
  ];
}

function toExpiringKind(kind: ExpiringCredential, keptMs: number | undefined): Kind {
  return {
    keptMs,
    list: (sql, shard, before) => listMerchantsWithExpired(sql, shard, { kind, before }),
    delete: (database, merchantId, old) => deleteExpired(database, kind, merchantId, old),
  };
}

function inStatement(deleteSome: (tx: Tx, merchantId: string, old: OldRows) => Promise<number>): Kind['delete'] {
  return (database, merchantId, old) => database.statement((tx) => deleteSome(tx, merchantId, old));
}

/** Continues with the next kind or merchant if one fails. */
async function deleteExpiredRows(
  database: Database,
  now: Instant,
  { signal, onError, keptFor }: RetentionContext,
): Promise<void> {
  const toOld = (keptMs: number): OldRows => ({ before: instant(now - keptMs), limit: MAX_ROWS_PER_DELETE });
  const orNone = (error: unknown): readonly string[] => {
    onError(error);
    return [];
  };
  const deleteInBatches = async (deleteSome: () => Promise<number>): Promise<void> => {
    while (!signal.aborted && (await deleteSome()) === MAX_ROWS_PER_DELETE);
  };
  if (keptFor.attempts !== undefined) {
    const old = toOld(keptFor.attempts);
    await deleteInBatches(() => database.statement((tx) => deleteOldAttempts(tx, old))).catch(onError);
  }
  const { sql } = database;
  const kinds = kindsOf(keptFor);
  for (const shard of await listShards(sql).catch(orNone)) {
    for (const merchantId of await listMerchantsWithEndedSubscriptions(sql, shard, now).catch(orNone)) {
      await database.statement((tx) => deleteEndedSubscriptions(tx, merchantId, now)).catch(onError);
    }
    for (const { keptMs, list, delete: deleteSome } of kinds) {
      if (keptMs === undefined) continue;
      const old = toOld(keptMs);
      for (const merchantId of await list(sql, shard, old.before).catch(orNone)) {
        await deleteInBatches(() => deleteSome(database, merchantId, old)).catch(onError);
      }
    }
  }
}
