/** Runs work on several connections, all of which see the records of one moment. */
import type { Database, Tx } from '../database/database.js';

interface Work<Context> {
  /** Runs once, before the others begin. */
  readonly prepare: (tx: Tx) => Promise<Context>;
  /** Runs on each connection. They share what there is to do, so that any of them alone would do all of it. */
  readonly run: (tx: Tx, context: Context) => Promise<void>;
}

/** A distributed database has no moment of all nodes, so there each statement sees a moment of its own. */
export async function atOneMoment<Context>(database: Database, jobs: number, work: Work<Context>): Promise<Context> {
  const isShared = jobs > 1 && !(await database.isDistributed());
  let helpers: Promise<PromiseSettledResult<void>[]> | undefined;
  const leading = database.transaction(async (tx) => {
    await begin(tx);
    const context = await work.prepare(tx);
    const joins = new Set<Promise<void>>();
    let hasEnded = false;
    const snapshot = isShared ? await exportSnapshot(tx) : undefined;
    const help = () =>
      database.transaction(async (own) => {
        // The pool had no free connection until now.
        if (hasEnded) return;
        const join = begin(own, snapshot);
        joins.add(join);
        await join;
        await work.run(own, context);
      });
    helpers = Promise.allSettled(Array.from({ length: jobs - 1 }, help));
    try {
      await work.run(tx, context);
    } finally {
      hasEnded = true;
      // A snapshot can be joined only as long as the transaction that exported it is open.
      await Promise.allSettled(joins);
    }
    return context;
  });
  const [led, helped] = [await leading.then(toFulfilled, toRejected), (await helpers) ?? []];
  for (const each of [led, ...helped]) if (each.status === 'rejected') throw each.reason;
  return leading;
}

async function begin(tx: Tx, snapshot?: string): Promise<void> {
  await tx.unsafe('set transaction isolation level repeatable read, read only');
  if (snapshot !== undefined) await tx.unsafe(`set transaction snapshot '${snapshot}'`);
}

async function exportSnapshot(tx: Tx): Promise<string> {
  const [exported] = await tx<{ id: string }[]>`select pg_export_snapshot() as id`;
  if (!exported) throw new Error('The database exported no snapshot.');
  return exported.id;
}

const toFulfilled = (value: unknown) => ({ status: 'fulfilled' as const, value });
const toRejected = (reason: unknown) => ({ status: 'rejected' as const, reason });
