/** Adds and removes stubs. */
import type { ServerContext } from '../api/operation.js';
import { notFound, Refusal } from '../base/errors.js';
import { requireMerchant } from './actions.js';
import type { StubDefinition } from './stub-definition.js';
import {
  deleteAddedStubs,
  deleteStub,
  insertStub,
  readStubSums,
  type Stub,
  updateStubsToUnused,
} from './stub-queries.js';

/** Every server keeps all stubs in memory. */
const MAX_STUBS = 1000;
const MAX_LENGTH = 16 * 1024 * 1024;

export async function addStub(
  context: ServerContext,
  { definition, merchantId }: { readonly definition: StubDefinition; readonly merchantId: string | null },
): Promise<Stub> {
  if (merchantId !== null) await requireMerchant(context, merchantId);
  const { count, length } = await readStubSums(context.database.sql);
  if (count >= MAX_STUBS || length >= MAX_LENGTH) {
    const bound = count >= MAX_STUBS ? `${MAX_STUBS} stubs` : `stubs of ${MAX_LENGTH / 1024 / 1024} MB`;
    const detail = `There are ${bound}, which is the most: remove some, or reset them.`;
    throw new Refusal('WRONG_STATE', { field: 'stub', detail });
  }
  const stub = { id: context.ids.newId(20), merchantId, source: null, definition, used: 0 };
  await context.database.statement((tx) => insertStub(tx, stub));
  await context.stubs?.invalidate();
  return stub;
}

export async function removeStub({ database, stubs }: ServerContext, id: string): Promise<void> {
  if (!(await database.statement((tx) => deleteStub(tx, id)))) throw notFound('stub', id);
  await stubs?.invalidate();
}

/** Removes what was added while the server ran. Stubs of files are for all merchants: they stay, and count from zero if all are reset. */
export async function resetStubs({ database, stubs }: ServerContext, merchantId: string | undefined): Promise<void> {
  await database.statement((tx) => deleteAddedStubs(tx, merchantId));
  if (merchantId === undefined) await database.statement((tx) => updateStubsToUnused(tx));
  await stubs?.invalidate();
}
