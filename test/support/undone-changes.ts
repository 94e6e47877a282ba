/** Checks the books after changes by hand, in a transaction that is undone, so that no other test sees the changes. */
import { expect } from 'vitest';
import { findBreaches, readChecked } from '../../src/check/check.js';
import type { Breach } from '../../src/check/law.js';
import type { Database, Tx } from '../../src/database/database.js';
import { ensureDefined } from './people.js';

type Options = NonNullable<Parameters<typeof findBreaches>[1]>;

/** The result of the work, which is undone. */
export async function undone<Result>(database: Database, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  let result: Result | undefined;
  const undo = new Error('the books stay as they were');
  const broken = database.transaction(async (tx) => {
    await tx`set transaction isolation level repeatable read`;
    result = await work(tx);
    throw undo;
  });
  await expect(broken).rejects.toBe(undo);
  return ensureDefined(result);
}

export async function breachesIn(database: Database, tx: Tx, options: Options = {}): Promise<Breach[]> {
  return [...(await findBreaches({ ...database, transaction: (work) => work(tx) }, { jobs: 1, ...options }))];
}

/** What an incremental check finds to which only this change is new, and what a full one finds. */
export async function bothAfter(
  database: Database,
  tx: Tx,
  change: () => PromiseLike<unknown>,
): Promise<{ readonly incremental: Breach[]; readonly full: Breach[] }> {
  const checked = await readChecked(tx);
  const [row] = await tx<{ id: string }[]>`select (pg_current_xact_id()::text::bigint + 1)::text as id`;
  // A subtransaction has an id of its own, which is higher than that of its transaction.
  await tx.unsafe('savepoint changing');
  await change();
  const incremental = await breachesIn(database, tx, { checked: { ...checked, horizon: ensureDefined(row).id } });
  return { incremental, full: await breachesIn(database, tx) };
}
