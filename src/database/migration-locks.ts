/**
 * Who may migrate, and when: one at a time, and not during a backup. The locks belong to the transaction that takes them, which stays open.
 *
 * An index that is built beside others waits for every transaction that has a snapshot. So nobody waits for these locks inside of a
 * statement, and the statements are sent as plain text: PostgreSQL keeps the snapshot of a prepared one until the next statement.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { listSessions, type Session } from './sessions.js';
import type { OnBlocked } from './short-locks.js';
import type { Sql, Tx } from './sql.js';

// Fixed numbers that nothing else in the database locks. Older versions wait for 7455101001 inside of a statement.
const MIGRATION_LOCK = 7_455_103;
const BACKUP_LOCK = 7_455_102;
const ARCHIVE_LOCK = 7_455_104;
const PAUSE_MS = 200;

/** Waits for another process that migrates. */
export async function lockMigrations(tx: Tx): Promise<void> {
  await stayIdle(tx);
  await take(tx, `pg_try_advisory_xact_lock(${MIGRATION_LOCK})`, async () => {});
}

/** Waits until no backup runs, and lets none begin. A backup reads all tables in one transaction, so every strong lock waits for it. */
export async function waitForBackups(tx: Tx, sql: Sql, onBlocked: OnBlocked): Promise<void> {
  await take(tx, `pg_try_advisory_xact_lock(${BACKUP_LOCK})`, async () => onBlocked(await listBackups(sql)));
}

/** Waits until no migration runs, and lets none begin. For a backup. */
export async function keepMigrationsOut(tx: Tx): Promise<void> {
  await stayIdle(tx);
  await take(tx, `pg_try_advisory_xact_lock_shared(${BACKUP_LOCK})`, async () => {});
}

/** The same for an archiving, of which one runs at a time. `onBlocked` is called while another one runs. */
export async function lockArchiving(tx: Tx, onBlocked: () => void): Promise<void> {
  await keepMigrationsOut(tx);
  await take(tx, `pg_try_advisory_xact_lock(${ARCHIVE_LOCK})`, async () => onBlocked());
}

async function stayIdle(tx: Tx): Promise<void> {
  await tx.unsafe('set local idle_in_transaction_session_timeout = 0');
}

async function take(tx: Tx, lock: string, onRefused: () => Promise<void>): Promise<void> {
  for (;;) {
    const [row] = await tx.unsafe(`select ${lock} as is_free`);
    if (row?.['isFree']) return;
    await onRefused();
    await sleep(PAUSE_MS);
  }
}

/** The sessions that make a backup now. */
export function listBackups(sql: Sql): Promise<readonly Session[]> {
  return listSessions(
    sql,
    sql`select pid from pg_locks
      where granted and locktype = 'advisory' and objid = ${BACKUP_LOCK}
        and database = (select oid from pg_database where datname = current_database())`,
  );
}
