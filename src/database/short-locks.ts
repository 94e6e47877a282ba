/**
 * Changes tables that others use, so that nobody waits for long. Whoever waits for a strong lock stops all who come after: so the wait is
 * short, and after it the others get a pause to catch up.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Sql, Tx } from './database.js';
import { listSessions, type Session } from './sessions.js';
import { codeOf } from './unavailable.js';

/** How long all locks of an attempt may take together. */
export const MAX_WAIT_MS = 2_000;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 10_000;

/** A lock was not granted in time, the statement that asks for all of them took too long, or two waited for each other. */
const NOT_GRANTED = new Set(['55P03', '57014', '40P01']);

export type OnBlocked = (blockers: readonly Session[]) => void;

/** Calls `tell` only with sessions that it has not been told before. */
export function onlyNews(tell: OnBlocked): OnBlocked {
  const told = new Set<number>();
  return (blockers) => {
    const others = blockers.filter(({ pid }) => !told.has(pid));
    for (const { pid } of others) told.add(pid);
    if (others.length > 0) tell(others);
  };
}

interface Shared {
  /** What the work uses. If it has to wait, the sessions that use these tables are reported. */
  readonly tables: readonly string[];
  readonly onBlocked: OnBlocked;
}

/** The locks of the transaction may take this long each. Call it first. */
export async function waitShortly(tx: Tx): Promise<void> {
  await tx`select set_config('lock_timeout', ${`${MAX_WAIT_MS}ms`}, true)`;
}

/** Runs `work` in a transaction that has locked the tables of `locked` that exist, as soon as they are free. */
export function withShortLocks<Result>(
  database: Database,
  { locked, ...shared }: Shared & { readonly locked: readonly string[] },
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  return repeatWhileBlocked(database.sql, shared, () =>
    database.transaction(async (tx) => {
      await lockAll(tx, await listExisting(tx, locked));
      return work(tx);
    }),
  );
}

/** Runs `attempt` again, after a pause, for as long as it does not get its locks. */
export async function repeatWhileBlocked<Result>(
  sql: Sql,
  { tables, onBlocked }: Shared,
  attempt: () => Promise<Result>,
): Promise<Result> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    try {
      return await attempt();
    } catch (error) {
      if (!NOT_GRANTED.has(codeOf(error))) throw error;
      onBlocked(await listUsers(sql, tables));
      await sleep(pauseMs);
    }
  }
}

/** One statement asks for all locks, so that its timeout limits them together. Locks that are taken later have the same limit each. */
async function lockAll(tx: Tx, tables: readonly string[]): Promise<void> {
  await waitShortly(tx);
  if (tables.length === 0) return;
  await tx`select set_config('statement_timeout', ${`${MAX_WAIT_MS}ms`}, true)`;
  await tx`lock table ${tx(tables as string[])} in access exclusive mode`;
  await tx`select set_config('statement_timeout', '0', true)`;
}

async function listExisting(sql: Sql, tables: readonly string[]): Promise<readonly string[]> {
  const rows = await sql<{ name: string }[]>`
    select distinct name
    from unnest(${tables as string[]}::text[]) as name
    where to_regclass(name) is not null
    order by name`;
  return rows.map(({ name }) => name);
}

/** The sessions that use the tables now. */
export function listUsers(sql: Sql, tables: readonly string[]): Promise<readonly Session[]> {
  return listSessions(
    sql,
    sql`select l.pid
      from pg_locks as l
      join unnest(${tables as string[]}::text[]) as name on l.relation = to_regclass(name)
      where l.granted and l.locktype = 'relation'
        and l.database = (select oid from pg_database where datname = current_database())`,
  );
}
