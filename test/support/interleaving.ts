/** Holds rows of a database, so that a statement that needs them stops there, and something else can commit in between. */
import { inject } from 'vitest';
import { constraintOf } from '../../src/database/constraints.js';
import { type Database, openDatabase, type Tx } from '../../src/database/database.js';
import { pollUntil } from './clock.js';
import { inDatabase } from './run-databases.mjs';
import type { TestServer } from './server.js';

export { changeIn } from '../../src/database/change.js';

const PATIENCE_MS = 20_000;

type DatabaseOf = Pick<TestServer, 'databaseUrl'>;

export interface HeldLock {
  /** Resolves when at least this number of statements waits for a lock. */
  untilWaiting(count: number): Promise<void>;
  /** Commits, and so releases the lock. */
  release(): Promise<void>;
}

/** Takes a lock, or changes rows, in a transaction that stays open. */
export async function holdLock({ databaseUrl }: DatabaseOf, take: (tx: Tx) => Promise<unknown>): Promise<HeldLock> {
  const holder = openDatabase(databaseUrl, { maxConnections: 1, hasLongTimeouts: true });
  // Connections of their own: on a shared one the question could be sent behind the statement that waits.
  const name = new URL(databaseUrl).pathname.slice(1);
  const watchers = inject('nodeUrls').map((url) =>
    openDatabase(inDatabase(url, name), { maxConnections: 1, hasLongTimeouts: true }),
  );
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
    untilWaiting: (count) => untilWaiting(watchers, count),
    async release() {
      commit();
      await ended;
      await Promise.all([holder, ...watchers].map((each) => each.close()));
    },
  };
}

/** A statement waits on the node of its merchant. */
async function untilWaiting(watchers: readonly Database[], count: number): Promise<void> {
  const listWaiting = async () => {
    const onNodes = watchers.map(
      ({ sql }) => sql`
        select distinct pid
        from pg_locks
        join pg_stat_activity using (pid)
        where not granted and datname = current_database()`,
    );
    return (await Promise.all(onNodes)).flat();
  };
  const { length } = await pollUntil(listWaiting, (found) => found.length >= count, PATIENCE_MS);
  if (length < count) throw new Error(`${length} statements wait for a lock, not ${count}`);
}

/**
 * Holds locks, starts the work, waits until the locks stop it, runs what happens meanwhile, and releases the locks. Returns the result of
 * the work.
 */
export async function interleave<Result>(
  server: DatabaseOf,
  {
    hold,
    work,
    meanwhile,
  }: {
    readonly hold: (tx: Tx) => Promise<unknown>;
    readonly work: () => Promise<Result>;
    /** In other transactions. What it writes is committed while the work waits. */
    readonly meanwhile?: (held: HeldLock) => Promise<unknown>;
  },
): Promise<Result> {
  const held = await holdLock(server, hold);
  const working = work();
  working.catch(() => {}); // it is awaited below
  try {
    await held.untilWaiting(1);
    await meanwhile?.(held);
  } finally {
    await held.release();
  }
  return working;
}

/** The name of the constraint or rule for which the database refuses the work. */
export async function refusalOf(work: Promise<unknown>): Promise<string | undefined> {
  return constraintOf(await work.catch((error: unknown) => error));
}
