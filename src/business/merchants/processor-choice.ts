/**
 * Chooses the processor that charges the cards of a merchant (decision 0183). Running servers cache the merchant for a second, so they use
 * the new choice within two seconds.
 */
import type { SealingKeys } from '../../base/sealing.js';
import type { Database, Tx } from '../../database/database.js';
import { recordAudit } from '../../identity/audit.js';
import type { Adapter } from '../../processor/adapter/transport.js';
import {
  findMerchantProcessor,
  type MerchantProcessor,
  updateProcessorAddress,
} from '../../processor/merchant-processor-queries.js';
import { findByAddress, saveMerchantProcessor } from '../../processor/merchant-processors.js';
import { type ChosenProcessor, lockChosenProcessor, updateChosenProcessor } from './processor-queries.js';

type Address = Pick<Adapter, 'url' | 'secret'>;

/** Undefined: there is no such merchant. */
async function withMerchant<Result>(
  database: Database,
  merchantId: string,
  work: (tx: Tx, chosen: ChosenProcessor) => Promise<Result>,
): Promise<Result | undefined> {
  return database.transaction(async (tx) => {
    const chosen = await lockChosenProcessor(tx, merchantId);
    return chosen && work(tx, chosen);
  });
}

export interface Choice {
  readonly id: string;
  /** The address of the adapter that was chosen before. Undefined if there was none, or if it is the same one. */
  readonly former: string | undefined;
}

/** New payments of the merchant go to this processor. Undefined: there is no such merchant. */
export function chooseProcessor(
  database: Database,
  keys: SealingKeys,
  merchantId: string,
  adapter: Address,
): Promise<Choice | undefined> {
  return withMerchant(database, merchantId, async (tx, { processorId }) => {
    const id = await saveMerchantProcessor(tx, keys, merchantId, adapter);
    await updateChosenProcessor(tx, merchantId, id);
    await recordAudit(tx, {
      kind: 'PROCESSOR_CHOSEN',
      merchantId,
      details: { processor_id: id, address: adapter.url },
    });
    const hadAnother = processorId !== null && processorId !== id;
    const former = hadAnother ? await findMerchantProcessor(tx, merchantId, processorId) : undefined;
    return { id, former: former?.address };
  });
}

/** Changes the address of a processor. Its payments, its calls without an outcome and its secret stay with it. */
export async function changeProcessorAddress(
  database: Database,
  processor: Pick<MerchantProcessor, 'merchantId' | 'id' | 'address'>,
  to: string,
  { repeatedCalls = 0 }: { readonly repeatedCalls?: number } = {},
): Promise<void> {
  const { merchantId, id, address } = processor;
  await withMerchant(database, merchantId, async (tx) => {
    if (!(await updateProcessorAddress(tx, processor, to))) {
      throw new Error('The address has just been changed by somebody else. Try again.');
    }
    const repeated = repeatedCalls > 0 ? { repeated_calls: `${repeatedCalls}` } : {};
    const details = { processor_id: id, address: to, former_address: address, ...repeated };
    await recordAudit(tx, { kind: 'PROCESSOR_MOVED', merchantId, details });
  });
}

/** Replaces the secret of a processor of the merchant, chosen or not. Returns its id; null: the merchant has none at this address. */
export function replaceProcessorSecret(
  database: Database,
  keys: SealingKeys,
  merchantId: string,
  adapter: Address,
): Promise<string | null | undefined> {
  return withMerchant(database, merchantId, async (tx) => {
    if (!(await findByAddress(tx, merchantId, adapter.url))) return null;
    const id = await saveMerchantProcessor(tx, keys, merchantId, adapter);
    await recordAudit(tx, {
      kind: 'PROCESSOR_SECRET_REPLACED',
      merchantId,
      details: { processor_id: id, address: adapter.url },
    });
    return id;
  });
}

/** New payments of the merchant go to the processor of the server. Returns whether it had another one. */
export function clearProcessor(database: Database, merchantId: string): Promise<boolean | undefined> {
  return withMerchant(database, merchantId, async (tx, { processorId }) => {
    if (processorId === null) return false;
    await updateChosenProcessor(tx, merchantId, null);
    await recordAudit(tx, { kind: 'PROCESSOR_CLEARED', merchantId, details: { processor_id: processorId } });
    return true;
  });
}
