/** One loop over what is due and over calls without an outcome, one over what is to be told, one over what is over. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { nowOn, realNow } from '../base/clock.js';
import { Refusal } from '../base/errors.js';
import { listMerchantsWithDueWork } from '../business/due-work/queries.js';
import { findMerchant } from '../business/merchants/queries.js';
import { recordOrderOutcome } from '../business/orders/actions.js';
import { listMerchantsWithCalls, updateCallToTaken } from '../business/payments/call-queries.js';
import { anyRules, nextTry, resolveCall } from '../business/payments/calls.js';
import { whyUnavailable } from '../database/unavailable.js';
import type { Sender } from '../events/sending.js';
import { type Befall, startCourier } from './courier.js';
import { doDueWork, type WorkContext } from './due-work.js';
import { startRetention } from './retention.js';

const PAUSE_MS = 250;
const MOST_ROWS_A_LOOK = 1000;

/** Any number of servers may run one on one database. */
export interface Worker {
  /** Finishes what it is doing, then rests. */
  stop(): Promise<void>;
}

export function startWorker(
  context: WorkContext,
  { sender, befall, log }: { sender: Sender; befall: Befall | undefined; log: Logger },
): Worker {
  const stopping = new AbortController();
  const { signal } = stopping;
  const running = (async () => {
    while (!signal.aborted) {
      await doWhatIsDue(context, log, signal);
      await sleep(PAUSE_MS, undefined, { signal }).catch(() => {});
    }
  })();
  const courier = startCourier({
    database: context.database,
    sender,
    befall,
    onTrouble: (error) => warn(log, error, 'deliveries wait for a later round'),
  });
  const retention = startRetention(context.database, (error) =>
    warn(log, error, 'what is over is removed in a later round'),
  );
  return {
    async stop() {
      stopping.abort();
      await Promise.all([running, courier.stop(), retention.stop()]);
    },
  };
}

/** That the database is away is logged once, by whoever opened it, and not by every round of every loop. */
function warn(log: Logger, error: unknown, text: string): void {
  if (whyUnavailable(error) === undefined) log.warn({ err: error }, text);
}

/** What fails for one merchant keeps nobody else waiting. */
async function doWhatIsDue(context: WorkContext, log: Logger, signal: AbortSignal): Promise<void> {
  const { sql } = context.database;
  const attempt = (work: () => Promise<void>) =>
    work().catch((error: unknown) => warn(log, error, 'due work waits for a later round'));
  await attempt(async () => {
    for (const merchantId of await listMerchantsWithDueWork(sql, realNow(), MOST_ROWS_A_LOOK)) {
      if (signal.aborted) return;
      await attempt(async () => {
        const merchant = await findMerchant(sql, merchantId);
        if (merchant) await doDueWork(context, merchantId, nowOn(merchant.clock));
      });
    }
  });
  await attempt(async () => {
    for (const merchantId of await listMerchantsWithCalls(sql, realNow())) {
      if (signal.aborted) return;
      await attempt(() => resolveCalls(context, merchantId, signal));
    }
  });
}

/** Asks the processor again for what nobody came back for: after a crash, or a time-out. */
async function resolveCalls(
  { database, processor }: WorkContext,
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
