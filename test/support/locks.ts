/** Holds rows of a database, so that a statement that needs them stops there, and something else can commit in between. */
import { openDatabase, type Sql, type Tx } from '../../src/database/database.js';
import { pollUntil } from './clock.js';
import type { TestServer } from './server.js';

export interface HeldLock {
  /** Resolves when this number of statements waits for a lock. */
  untilWaiting(count: number): Promise<void>;
  /** Commits, and so releases the lock. */
  release(): Promise<void>;
}

/** Takes a lock, or changes rows, in a transaction that stays open. */
export async function holdLock(server: TestServer, take: (tx: Tx) => Promise<unknown>): Promise<HeldLock> {
  const holder = openDatabase(server.databaseUrl, { maxConnections: 1 });
  const watcher = openDatabase(server.databaseUrl, { maxConnections: 1 });
  let commit = (): void => {};
  let ended: Promise<void> | undefined;
  await new Promise<void>((resolve, reject) => {
    ended = holder.transaction(async (tx) => {
      await take(tx);
      resolve();
      await new Promise<void>((done) => {
        commit = done;
      });
    });
    ended.catch(reject);
  });
  return {
    untilWaiting: (count) => untilWaiting(watcher.sql, count),
    async release() {
      commit();
      await ended;
      await Promise.all([holder.close(), watcher.close()]);
    },
  };
}

async function untilWaiting(sql: Sql, count: number): Promise<void> {
  const listWaiting = () => sql`
    select distinct pid
    from pg_locks
    join pg_stat_activity using (pid)
    where not granted and datname = current_database()`;
  const { length } = await pollUntil(listWaiting, (found) => found.length >= count, 10_000);
  if (length !== count) throw new Error(`${length} statements wait for a lock, not ${count}`);
}
