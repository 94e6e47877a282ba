/** Moves the processor of a merchant to another address, once it is sure that it is the same one (decision 0197). */
import { realNow } from '../../base/clock.js';
import { UsageError } from '../../base/config.js';
import type { SealingKeys } from '../../base/sealing.js';
import { DAY_MS, instant } from '../../base/time.js';
import type { Database } from '../../database/database.js';
import { whyUnknown } from '../../processor/adapter/known-call.js';
import { listMerchantProcessors } from '../../processor/merchant-processor-queries.js';
import { openMerchantProcessor } from '../../processor/merchant-processors.js';
import { changeProcessorAddress } from '../merchants/processor-choice.js';
import { findChosenProcessor } from '../merchants/processor-queries.js';
import { callKey } from '../payments/calls.js';
import { findAnsweredPayment } from './queries.js';

/** An adapter keeps calls for a month. */
const KNOWN_MS = 28 * DAY_MS;

export interface ProcessorMove {
  readonly merchantId: string;
  readonly from: string;
  readonly to: string;
}

/** Returns the id of the processor. Undefined: there is no such merchant. */
export async function moveProcessor(
  database: Database,
  keys: SealingKeys,
  { merchantId, from, to }: ProcessorMove,
): Promise<string | undefined> {
  const { sql } = database;
  if (!(await findChosenProcessor(sql, merchantId))) return undefined;
  const rows = await listMerchantProcessors(sql, merchantId);
  const row = rows.find(({ address }) => address === from);
  if (!row) throw new UsageError(`The merchant has no adapter at ${from}.`);
  if (rows.some(({ address }) => address === to)) {
    throw new UsageError(`The merchant has an adapter at ${to} already. Two adapters cannot become one.`);
  }
  const since = instant(realNow() - KNOWN_MS);
  const paymentId = await findAnsweredPayment(sql, merchantId, { processorId: row.id, since });
  if (paymentId !== undefined) {
    const moved = { ...openMerchantProcessor(keys, row), url: to };
    const why = await whyUnknown(moved, callKey(merchantId, paymentId, 'CREATE'));
    if (why !== undefined) {
      throw new UsageError(
        `${to} does not seem to be the adapter that was at ${from}: ${why}, asked for payment ${paymentId}. Nothing was changed.`,
      );
    }
  }
  await changeProcessorAddress(database, row, to);
  return row.id;
}
