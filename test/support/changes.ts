/** Applies a change in a transaction that is open, for tests that stop it before its commit. */
import { Change } from '../../src/database/change.js';
import type { Tx } from '../../src/database/database.js';

export async function changeIn(tx: Tx, merchantId: string, decide: (change: Change) => unknown): Promise<void> {
  const change = new Change(merchantId, tx);
  await decide(change);
  await change.apply();
}
