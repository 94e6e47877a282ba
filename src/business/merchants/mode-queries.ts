/** SQL for the mode of the database, and for merchants that a production database must not contain. */
import type { Mode } from '../../base/config.js';
import type { Instant } from '../../base/time.js';
import type { Sql, Tx } from '../../database/database.js';

/** Whether the database has the demo merchant, or a clock that differs from real time. Only a sandbox may have them. */
export async function hasSandboxMerchants(sql: Sql): Promise<{ demo: boolean; movedClock: boolean }> {
  const [row] = await sql<{ demo: boolean; movedClock: boolean }[]>`
    select
      exists (select 1 from merchants where is_demo) as demo,
      exists (select 1 from merchants where clock_offset_ms <> 0 or clock_frozen_at is not null) as moved_clock`;
  return row ?? { demo: false, movedClock: false };
}

export async function findDatabaseMode(sql: Sql): Promise<Mode | undefined> {
  const [row] = await sql<{ mode: Mode }[]>`
    select mode
    from database_mode`;
  return row?.mode;
}

// An arbitrary number. No other advisory lock in this database uses it.
const MODE_LOCK = 7_455_101_003;

/** Serializes servers that start at the same time in different modes. Works also before any mode is recorded. */
export async function lockDatabaseMode(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(${MODE_LOCK})`;
}

export async function insertDatabaseMode(tx: Tx, mode: Mode, at: Instant): Promise<void> {
  await tx`
    insert into database_mode (mode, recorded_at)
    values (${mode}, ${at})
    on conflict (is_only_row) do update
    set mode = excluded.mode, recorded_at = excluded.recorded_at`;
}
