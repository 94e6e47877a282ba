/** Stops a request in the middle of its work, by a lock that another connection holds. */
import { openDatabase, type Tx } from '../../src/database/database.js';
import { pollUntil } from './clock.js';
import type { TestServer } from './server.js';

const PATIENCE_MS = 20_000;

/**
 * Takes locks in a transaction, starts the work, waits until it is stopped by these locks, does what happens meanwhile, and commits.
 * Returns the result of the work.
 */
export async function interleave<Result>(
  { databaseUrl }: Pick<TestServer, 'databaseUrl'>,
  {
    hold,
    work,
    meanwhile,
  }: {
    readonly hold: (tx: Tx) => Promise<unknown>;
    readonly work: () => Promise<Result>;
    /** In other transactions. What it writes is committed while the work waits. */
    readonly meanwhile?: () => Promise<unknown>;
  },
): Promise<Result> {
  const holder = openDatabase(databaseUrl, { maxConnections: 1 });
  // A connection of its own: on a shared one the question could be sent behind the statement that waits.
  const watcher = openDatabase(databaseUrl, { maxConnections: 1 });
  try {
    // In an object, because a promise would be awaited before the commit.
    const { working } = await holder.transaction(async (tx) => {
      const [self] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
      await hold(tx);
      const started = { working: work() };
      started.working.catch(() => {}); // it is awaited below
      const isStopped = async () => {
        const [row] = await watcher.sql<{ stopped: boolean }[]>`
          select exists (select from pg_locks where not granted and ${self?.pid ?? 0} = any (pg_blocking_pids(pid))) as stopped`;
        return row?.stopped === true;
      };
      if (!(await pollUntil(isStopped, (stopped) => stopped, PATIENCE_MS))) throw new Error('the work was not stopped');
      await meanwhile?.();
      return started;
    });
    return await working;
  } finally {
    await watcher.close();
    await holder.close();
  }
}
