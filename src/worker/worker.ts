/** Starts the background loops: due work, processor calls with an unknown outcome, webhook delivery, retention, copies of payments. */
import type { Logger } from 'pino';
import { nowOn } from '../base/clock.js';
import type { KeptFor } from '../base/config.js';
import { Refusal } from '../base/errors.js';
import { findMerchantForWork } from '../business/merchants/queries.js';
import { recordOrderOutcome } from '../business/orders/actions.js';
import { claimCall, resolveCall, toProcessorMerchant } from '../business/payments/calls.js';
import { withConnectionLimit } from '../database/connection-limit.js';
import { unavailableReason } from '../database/unavailable.js';
import type { Sender } from '../events/sending.js';
import type { Topic } from '../identity/topics.js';
import type { Watches } from '../identity/watches.js';
import { withAbort } from '../processor/time-limit.js';
import { startCopyRenewal } from './copies.js';
import { type InjectFaults, startDelivery } from './delivery.js';
import type { DueSource } from './due-source.js';
import { runDueWork, type WorkContext } from './due-work.js';
import { type LaneWork, startLanes } from './lanes.js';
import { startRetention } from './retention.js';

/** For due work of all merchants together. The other connections are for requests. */
const MAX_CONNECTIONS = 4;

/** What due work and calls of the processor change. */
const WORK_TOPICS: readonly Topic[] = ['sales', 'refunds', 'orders', 'settlements'];

/** Any number of servers can run a worker on one database. */
export interface Worker {
  /** Finishes writes in progress. Aborts calls and releases their claims, so that another server can retry at once. */
  stop(): Promise<void>;
}

export function startWorker(
  { database, processor: unlimitedProcessor, ids, onWork }: WorkContext,
  {
    source,
    watches,
    sender,
    injectFaults,
    publicUrl,
    keptFor,
    log,
  }: {
    source: DueSource;
    watches: Watches;
    sender: Sender;
    injectFaults: InjectFaults | undefined;
    publicUrl: string | undefined;
    keptFor: KeptFor | undefined;
    log: Logger;
  },
): Worker {
  const processor = withAbort(unlimitedProcessor);
  const context: WorkContext = { database: withConnectionLimit(database, MAX_CONNECTIONS), processor, ids, onWork };
  const { sql } = database;
  source.start();
  const dueWork = startLanes({
    listMerchants: (wanted) => source.listMerchantsWithDueWork(wanted),
    work: lookAfterwards(source, async (merchantId, signal) => {
      const merchant = await findMerchantForWork(sql, merchantId);
      if (!merchant) return;
      await runDueWork(context, merchantId, nowOn(merchant.clock), { signal });
      watches.publish(merchantId, WORK_TOPICS, merchant.watch);
    }),
    onError: (error, merchantId) => warn(log, error, 'due work: failed, will retry', merchantId),
  });
  const calls = startLanes({
    listMerchants: (wanted) => source.listMerchantsWithCalls(wanted),
    work: lookAfterwards(source, (merchantId, signal) => resolveCalls(context, watches, merchantId, signal)),
    onError: (error, merchantId) => warn(log, error, 'processor call: failed, will retry', merchantId),
  });
  const delivery = startDelivery({
    database,
    source,
    watches,
    sender,
    injectFaults,
    publicUrl,
    onError: (error) => warn(log, error, 'webhook delivery: failed, will retry'),
  });
  const retention = startRetention(
    database,
    (error) => warn(log, error, 'retention: delete failed, will retry'),
    keptFor,
  );
  const copies = startCopyRenewal(database, (error, merchantId) =>
    warn(log, error, 'copies of payments: renewal failed, will retry', merchantId),
  );
  return {
    async stop() {
      const lanes = [dueWork.stop(), calls.stop()]; // before the abort, so that lanes do not mistake it for a timeout
      processor.abort();
      await Promise.all([...lanes, delivery.stop(), retention.stop(), copies.stop()]);
      await source.stop();
    },
  };
}

/** Looks at the merchant after the work, which can add other work and events to deliver. */
function lookAfterwards(source: DueSource, work: LaneWork['work']): LaneWork['work'] {
  return (merchantId, signal) => work(merchantId, signal).finally(() => source.lookAt(merchantId));
}

/** Skips errors of an unavailable database: the server logs that once, and each loop would repeat it. */
export function warn(log: Logger, error: unknown, message: string, merchantId?: string): void {
  if (unavailableReason(error) === undefined) log.warn({ err: error, merchant_id: merchantId }, message);
}

/** Calls the processor again for calls whose outcome is unknown after a crash or a timeout. */
async function resolveCalls(
  { database, processor, ids }: WorkContext,
  watches: Watches,
  merchantId: string,
  signal: AbortSignal,
): Promise<void> {
  const merchant = await findMerchantForWork(database.sql, merchantId);
  if (!merchant) return;
  while (!signal.aborted) {
    const call = await claimCall(database, merchantId);
    if (!call) return;
    const context = {
      database,
      processor,
      ids,
      merchant: toProcessorMerchant(merchantId),
      now: nowOn(merchant.clock),
      onOutcome: recordOrderOutcome,
    };
    // A refusal means a recorded decline, or an outcome that is still unknown. There is no caller to return it to.
    await resolveCall(context, call).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error;
    });
    watches.publish(merchantId, WORK_TOPICS, merchant.watch);
  }
}
