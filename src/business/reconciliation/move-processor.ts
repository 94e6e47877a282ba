/** Moves the processor of a merchant to another address, if the same adapter seems to answer there (decision 0197). */
import { realNow } from '../../base/clock.js';
import { UsageError } from '../../base/config.js';
import type { SealingKeys } from '../../base/sealing.js';
import { DAY_MS, instant } from '../../base/time.js';
import type { Database } from '../../database/database.js';
import { missingAdapterReason, unapprovedReason } from '../../processor/adapter/known-call.js';
import type { Adapter } from '../../processor/adapter/transport.js';
import { listMerchantProcessors, type MerchantProcessor } from '../../processor/merchant-processor-queries.js';
import { openMerchantProcessor } from '../../processor/merchant-processors.js';
import { changeProcessorAddress } from '../merchants/processor-choice.js';
import { findChosenProcessor } from '../merchants/processor-queries.js';
import { callKey } from '../payments/calls.js';
import { findAnsweredPayment, findOpenCallCount } from './queries.js';

/** An adapter keeps calls for a month. */
export const KNOWN_DAYS = 28;

export interface ProcessorMove {
  readonly merchantId: string;
  readonly from: string;
  readonly to: string;
  /** Moves it even if nothing shows whether the new address knows the calls without an outcome. Unknown calls are made again. */
  readonly repeatsOpenCalls?: boolean;
}

export interface ProcessorMoveResult {
  /** The id of the processor. */
  readonly id: string;
  /** Whether the new address was asked for a payment of the old one, and knew it. False if there was no payment to ask for. */
  readonly isCompared: boolean;
  /** The number of calls without an outcome that the new address will get, although nothing shows whether it knows them. */
  readonly repeatedCalls: number;
}

/** Undefined: there is no such merchant. */
export async function moveProcessor(
  database: Database,
  keys: SealingKeys,
  { merchantId, from, to, repeatsOpenCalls = false }: ProcessorMove,
): Promise<ProcessorMoveResult | undefined> {
  const { sql } = database;
  if (!(await findChosenProcessor(sql, merchantId))) return undefined;
  const rows = await listMerchantProcessors(sql, merchantId);
  const row = rows.find(({ address }) => address === from);
  if (!row) throw new UsageError(`The merchant has no adapter at ${from}.`);
  if (rows.some(({ address }) => address === to)) {
    throw new UsageError(`The merchant has an adapter at ${to} already. Two adapters cannot become one.`);
  }
  const moved = { ...openMerchantProcessor(keys, row), url: to };
  const since = instant(realNow() - KNOWN_DAYS * DAY_MS);
  const paymentId = await findAnsweredPayment(sql, merchantId, { processorId: row.id, since });
  if (paymentId !== undefined) {
    await requireSameAdapter(row, moved, paymentId);
    await changeProcessorAddress(database, row, to);
    return { id: row.id, isCompared: true, repeatedCalls: 0 };
  }
  const repeatedCalls = await findOpenCallCount(sql, merchantId, row.id);
  if (!repeatsOpenCalls) requireNoOpenCall(repeatedCalls, row, to);
  await requireAdapter(moved);
  await changeProcessorAddress(database, row, to, { repeatedCalls });
  return { id: row.id, isCompared: false, repeatedCalls };
}

async function requireSameAdapter(row: MerchantProcessor, moved: Adapter, paymentId: string): Promise<void> {
  const why = await unapprovedReason(moved, callKey(row.merchantId, paymentId, 'CREATE'));
  if (why === undefined) return;
  throw new UsageError(
    `${moved.url} does not seem to be the adapter that was at ${row.address}: ${why}, asked for payment ${paymentId}. Nothing was changed.`,
  );
}

/** Without a payment to ask for, nothing shows whether the new address knows earlier calls. Repeating them could move money twice. */
function requireNoOpenCall(open: number, { address }: MerchantProcessor, to: string): void {
  if (open === 0) return;
  throw new UsageError(
    `Calls without an outcome: ${open}. It is unknown whether ${to} knows them, because no payment was approved in ${KNOWN_DAYS} days. Keep ${address} reachable until they have an outcome, or use --repeat-open-calls, which can charge or refund a card twice. Nothing was changed.`,
  );
}

/** An adapter must answer at the new address, and accept our secret. */
async function requireAdapter(moved: Adapter): Promise<void> {
  const why = await missingAdapterReason(moved);
  if (why === undefined) return;
  throw new UsageError(
    `${moved.url} does not seem to be an adapter with the same secret: ${why}. Nothing was changed.`,
  );
}
