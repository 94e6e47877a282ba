/** Background work: due work, calls to the processor without an outcome, webhook delivery, retention. */
import type { Logger } from 'pino';
import { nowOn, realNow } from '../base/clock.js';
import { Refusal } from '../base/errors.js';
import { listMerchantsWithDueWork } from '../business/due-work/queries.js';
import { findMerchant } from '../business/merchants/queries.js';
import { recordOrderOutcome } from '../business/orders/actions.js';
import { listMerchantsWithCalls, updateCallToTaken } from '../business/payments/call-queries.js';
import { anyRules, nextTry, resolveCall } from '../business/payments/calls.js';
import { withFewConnections } from '../database/limited.js';
import { whyUnavailable } from '../database/unavailable.js';
import type { Sender } from '../events/sending.js';
import { withEnd } from '../processor/time-limit.js';
import { type Befall, startCourier } from './courier.js';
import { doDueWork, type WorkContext } from './due-work.js';
import { startLanes } from './lanes.js';
import { startRetention } from './retention.js';

const MOST_ROWS_A_LOOK = 1000;
/** However many merchants have something due: the other connections are for requests. */
const MOST_CONNECTIONS = 4;

/** Any number of servers may run one on one database. */
export interface Worker {
  /** Finishes what it is writing, and leaves to others at once what it waits for. */
  stop(): Promise<void>;
}

export function startWorker(
  { database, processor: asked, ids }: WorkContext,
  { sender, befall, log }: { sender: Sender; befall: Befall | undefined; log: Logger },
): Worker {
  const processor = withEnd(asked);
  const context: WorkContext = { database: withFewConnections(database, MOST_CONNECTIONS), processor, ids };
  const { sql } = database;
  const onTrouble = (error: unknown): void => warn(log, error, 'due work waits for a later round');
  const dueWork = startLanes({
    listMerchants: (except) => listMerchantsWithDueWork(sql, { now: realNow(), except, limit: MOST_ROWS_A_LOOK }),
    async work(merchantId, signal) {
      const merchant = await findMerchant(sql, merchantId);
      if (merchant) await doDueWork(context, merchantId, nowOn(merchant.clock), { signal });
    },
    onTrouble,
  });
  const calls = startLanes({
    listMerchants: (except) => listMerchantsWithCalls(sql, { now: realNow(), except, limit: MOST_ROWS_A_LOOK }),
    work: (merchantId, signal) => resolveCalls(context, merchantId, signal),
    onTrouble,
  });
  const courier = startCourier({
    database,
    sender,
    befall,
    onTrouble: (error) => warn(log, error, 'deliveries wait for a later round'),
  });
  const retention = startRetention(database, (error) => warn(log, error, 'what is over is removed in a later round'));
  return {
    async stop() {
      const lanes = [dueWork.stop(), calls.stop()]; // first, so that nothing that is given up is taken for silence
      processor.giveUp();
      await Promise.all([...lanes, courier.stop(), retention.stop()]);
    },
  };
}

/** That the database is away is logged once, by whoever opened it, and not by every round of every loop. */
function warn(log: Logger, error: unknown, text: string): void {
  if (whyUnavailable(error) === undefined) log.warn({ err: error }, text);
}

/** Asks the processor again for what nobody came back for: after a crash, or a time-out. */
async function resolveCalls(
  { database, processor, ids }: WorkContext,
  merchantId: string,
  signal: AbortSignal,
): Promise<void> {
  const merchant = await findMerchant(database.sql, merchantId);
  if (!merchant) return;
  while (!signal.aborted) {
    const call = await database.statement((tx) => updateCallToTaken(tx, merchantId, realNow(), nextTry()));
    if (!call) return;
    const context = {
      database,
      processor,
      ids,
      merchant: anyRules(merchantId),
      now: nowOn(merchant.clock),
      onOutcome: recordOrderOutcome,
    };
    // A refusal is an outcome too, or stays unknown until the next try; either way there is nobody to tell.
    await resolveCall(context, call).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error;
    });
  }
}
