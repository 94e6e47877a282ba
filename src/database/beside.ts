/** Work on large tables while others use them: indexes are built, and rows are changed, without a lock that anybody waits for. */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Tx } from './database.js';
import { listSessions } from './sessions.js';
import { type OnBlocked, repeatWhileBlocked, waitShortly } from './short-locks.js';

interface Options {
  readonly tables: readonly string[];
  readonly onBlocked: OnBlocked;
}

/** How often a build that waits for others says so. */
const LOOK_MS = 5_000;
const CREATES = /^create (?:unique )?index concurrently if not exists (\w+)/i;

/** Builds or drops an index. One that an interrupted build has left is not valid: it is dropped and built again. */
export async function buildBeside(database: Database, statement: string, options: Options): Promise<void> {
  const [, index] = CREATES.exec(statement) ?? [];
  const looking = setInterval(() => void reportWaiting(database, options.onBlocked), LOOK_MS).unref();
  try {
    await repeatWhileBlocked(database.sql, options, async () => {
      if (index !== undefined) await dropInvalid(database, index);
      await database.statement((tx) => tx.unsafe(statement));
    });
  } finally {
    clearInterval(looking);
  }
}

async function dropInvalid(database: Database, index: string): Promise<void> {
  const found = await database.sql`
    select from pg_index where indexrelid = to_regclass(${index}) and not indisvalid`;
  if (found.length > 0) await database.statement((tx) => tx.unsafe(`drop index concurrently if exists ${index}`));
}

/** A build waits for all transactions that began before it. */
async function reportWaiting({ sql }: Database, onBlocked: OnBlocked): Promise<void> {
  const sessions = await listSessions(
    sql,
    sql`select current_locker_pid from pg_stat_progress_create_index where datname = current_database()`,
  ).catch(() => []);
  if (sessions.length > 0) onBlocked(sessions);
}

/** Runs a statement that changes a limited number of rows until it finds none. Others have half of the time. */
export async function changeInBatches(database: Database, statement: string, options: Options): Promise<void> {
  const changeSome = async (tx: Tx): Promise<number> => {
    await waitShortly(tx);
    return (await tx.unsafe(statement)).count;
  };
  for (;;) {
    const since = performance.now();
    const changed = await repeatWhileBlocked(database.sql, options, () => database.transaction(changeSome));
    if (changed === 0) return;
    await sleep(performance.now() - since);
  }
}
