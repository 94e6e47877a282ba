/** Every SQL statement on the mode of the database, and on what may not be in a production one. */
import type { Mode } from '../../base/config.js';
import type { Instant } from '../../base/time.js';
import type { Sql, Tx } from '../../database/database.js';

/** Whether there is what only a sandbox may have: the demo, or a clock that does not show real time. */
export async function hasSandboxMerchants(sql: Sql): Promise<{ demo: boolean; movedClock: boolean }> {
  const [row] = await sql<{ demo: boolean; movedClock: boolean }[]>`
    select
      exists (select from merchants where is_demo) as demo,
      exists (select from merchants where clock_offset_ms <> 0 or clock_frozen_at is not null) as moved_clock`;
  return row ?? { demo: false, movedClock: false };
}

export async function findDatabaseMode(sql: Sql): Promise<Mode | undefined> {
  const [row] = await sql<{ mode: Mode }[]>`
    select mode
    from database_mode`;
  return row?.mode;
}

// Any fixed number will do, so long as nothing else in the database locks it.
const MODE_LOCK = 7_455_101_003;

/** Two servers that start together in different modes come one after the other, also where no mode is recorded yet. */
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
