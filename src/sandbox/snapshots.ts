/** Takes a copy of all records of a merchant, and puts it back later, with the clock (decision 0171). */
import { setTimeout as sleep } from 'node:timers/promises';
import { CREDENTIAL_TABLES } from '../access/credential-tables.js';
import { listCredentials, listEntered } from '../access/orphan-queries.js';
import type { ServerContext } from '../api/operation.js';
import { clockAt, nowOn, realNow } from '../base/clock.js';
import { Refusal } from '../base/errors.js';
import { instant, printMilliseconds, SECOND_MS } from '../base/time.js';
import { lockMerchant, updateClock } from '../business/merchants/queries.js';
import type { Database, Tx } from '../database/database.js';
import { lockTables, useRepeatableReadAlone } from '../database/locks.js';
import { schemaFingerprint } from '../database/migrations.js';
import { codeOf } from '../database/unavailable.js';
import { recordAudit } from '../identity/audit.js';
import { enterCredential } from '../identity/directory.js';
import { requireMerchant } from './actions.js';
import { findSize, findSnapshot, insertSnapshot, type Snapshot, updateToSnapshot } from './snapshot-queries.js';
import { COPIED_TABLES, LOCKED_TABLES, REPLACED_TABLES } from './snapshot-tables.js';

/**
 * More than tests need, and enough for the demo with its 60,000 records. A copy is one document for each table, and nobody can write while
 * it is put back.
 */
const MAX_RECORDS = 100_000;
const MAX_MEGABYTES = 128;

/**
 * How long each attempt waits for other writers. After a second of waiting PostgreSQL looks for deadlocks, and cancels an autovacuum that
 * is in the way.
 */
const LOCK_WAITS_MS = [100, 200, 400, 800, 1600, 3000];
const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';
const FOREIGN_KEY_VIOLATION = '23503';

/** Work that is overdue by a frozen clock runs this long after the reset. */
const OVERDUE_MS = SECOND_MS;

export async function takeSnapshot(context: ServerContext, merchantId: string): Promise<Snapshot> {
  const { database } = context;
  await requirePlainDatabase(database);
  await requireMerchant(context, merchantId);
  const schemaVersion = await schemaFingerprint();
  return database.transaction(async (tx) => {
    await useRepeatableReadAlone(tx, 'merchant_snapshots');
    await requireSmall(tx, merchantId);
    const takenAt = realNow();
    await insertSnapshot(tx, merchantId, { tables: COPIED_TABLES, takenAt, schemaVersion });
    await recordAudit(tx, { kind: 'SNAPSHOT_TAKEN', merchantId });
    return requireSnapshot(tx, merchantId);
  });
}

export async function requireSnapshot(sql: Parameters<typeof findSnapshot>[0], merchantId: string): Promise<Snapshot> {
  const snapshot = await findSnapshot(sql, merchantId);
  if (!snapshot) {
    throw new Refusal('NOT_FOUND', { detail: 'The merchant has no snapshot. Take one first.', field: 'merchant_id' });
  }
  return snapshot;
}

/** Everything else that writes for the merchant happens before it or after it. */
export async function resetToSnapshot(context: ServerContext, merchantId: string): Promise<Snapshot> {
  const { database, invalidateCredentials, requestLog } = context;
  await requirePlainDatabase(database);
  await requireMerchant(context, merchantId);
  const { schemaVersion } = await requireSnapshot(database.sql, merchantId);
  if (schemaVersion !== (await schemaFingerprint())) {
    throw new Refusal('WRONG_STATE', {
      detail: 'The snapshot was taken before the database was migrated, so it does not fit any more. Take a new one.',
    });
  }
  const snapshot = await lockedFromOthers(database, (tx) => putBack(tx, merchantId));
  await enterRestoredCredentials(database, merchantId);
  await requestLog?.dropOfMerchant(merchantId, snapshot.takenAt);
  invalidateCredentials(merchantId);
  return snapshot;
}

async function putBack(tx: Tx, merchantId: string): Promise<Snapshot> {
  const snapshot = await requireSnapshot(tx, merchantId);
  await lockMerchant(tx, merchantId);
  await updateToSnapshot(tx, merchantId, REPLACED_TABLES);
  const real = realNow();
  // The clock shows what it showed then, and runs on if it ran. So the times at which work runs are computed again.
  const clock = clockAt(nowOn(snapshot.clock, snapshot.takenAt), snapshot.clock.frozenAt !== null, real);
  const overdueRunAt = instant(real + OVERDUE_MS);
  await updateClock(tx, merchantId, { clock, movedAt: real, works: [], overdueRunAt });
  await recordAudit(tx, {
    kind: 'MERCHANT_RESET',
    merchantId,
    details: { snapshot: printMilliseconds(snapshot.takenAt) },
  });
  return snapshot;
}

/** Runs a transaction while nobody else writes records of merchants. */
async function lockedFromOthers<Result>(database: Database, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  for (const waitMs of LOCK_WAITS_MS) {
    try {
      return await database.transaction(async (tx) => {
        await lockTables(tx, LOCKED_TABLES, waitMs);
        return work(tx);
      });
    } catch (error) {
      if (codeOf(error) === FOREIGN_KEY_VIOLATION) throw explainMissing();
      if (![LOCK_NOT_AVAILABLE, DEADLOCK].includes(codeOf(error))) throw error;
      await sleep(waitMs / 4); // lets the other writers finish
    }
  }
  throw new Refusal('SERVICE_UNAVAILABLE', {
    detail: 'Other requests write all the time, so the merchant could not be reset. Try again.',
    retryAfterSeconds: 1,
  });
}

function explainMissing(): Refusal {
  return new Refusal('WRONG_STATE', {
    detail: 'The snapshot refers to an application or account that has been deleted since. Take a new one.',
  });
}

/** A credential that expired since the snapshot may have lost its entry in the directory, which is not placed by merchant. */
async function enterRestoredCredentials(database: Database, merchantId: string): Promise<void> {
  const kinds = Object.keys(CREDENTIAL_TABLES) as (keyof typeof CREDENTIAL_TABLES)[];
  const hashes = (await Promise.all(kinds.map((kind) => listCredentials(database.sql, merchantId, kind)))).flat();
  const entered = await listEntered(database.sql, hashes);
  const missing = hashes.filter((hash) => !entered.has(hash.toString('hex')));
  await Promise.all(missing.map((hash) => enterCredential(database, merchantId, hash)));
}

/** `what` needs it. */
export async function requirePlainDatabase(database: Database, what = 'Snapshots'): Promise<void> {
  if (!(await database.isDistributed())) return;
  throw new Refusal('WRONG_STATE', {
    detail: `${what} need a database that is not distributed. Create a new merchant instead.`,
  });
}

async function requireSmall(tx: Tx, merchantId: string): Promise<void> {
  const { records, bytes } = await findSize(tx, merchantId, COPIED_TABLES);
  const megabytes = Math.ceil(bytes / 1_000_000);
  if (records <= MAX_RECORDS && megabytes <= MAX_MEGABYTES) return;
  throw new Refusal('REQUEST_ENTITY_TOO_LARGE', {
    detail:
      `The merchant has ${records} records of ${megabytes} MB. A snapshot has at most ${MAX_RECORDS} records of ` +
      `${MAX_MEGABYTES} MB together.`,
  });
}
