/** Does what is due for one merchant, oldest first, each thing stamped with its own due time (decision 0041). */
import { setTimeout as sleep } from 'node:timers/promises';
import { realNow } from '../base/clock.js';
import { type Instant, instant, SECOND_MS } from '../base/time.js';
import { type DueKind, type DueWork, SubjectBusy } from '../business/due-work/model.js';
import {
  deleteDueWorkRow,
  hasDueWork,
  lockDueWork,
  updateDueWorkToLater,
  updateStandingWork,
} from '../business/due-work/queries.js';
import { expireOrder } from '../business/orders/actions.js';
import { expirePayment, giveBack, releaseHold } from '../business/payments/calls.js';
import { finishRefund } from '../business/refunds/actions.js';
import { closeDay } from '../business/settlements/actions.js';
import type { Database, Tx } from '../database/database.js';
import { type Processor, ProcessorUnavailable } from '../processor/contract.js';

export interface WorkContext {
  readonly database: Database;
  readonly processor: Processor;
}

type Doer = (
  tx: Tx,
  context: { readonly processor: Processor; readonly merchantId: string },
  subjectId: string,
  at: Instant,
) => Promise<void> | Promise<Undone | undefined>;

/** The row stays: to be looked at again, or because it stands for ever and waits for its next time. */
type Undone = 'unfinished' | { readonly next: Instant };

const DOERS: Readonly<Record<DueKind, Doer>> = {
  VOID_PAYMENT: expirePayment,
  FINISH_REFUND: finishRefund,
  RELEASE_HOLD: releaseHold,
  GIVE_BACK: giveBack,
  EXPIRE_ORDER: expireOrder,
  CLOSE_DAY: closeDay,
};

const WAIT_FOR_OTHERS_MS = 20;
const POSTPONED_MS = 30 * SECOND_MS;

/**
 * Returns when nothing due up to `until` is left, whether this worker did it or another. What a processor gave no answer
 * to is left for later; so is what fails in an unforeseen way, which is told when all the rest is done.
 */
export async function doDueWork(
  { database, processor }: WorkContext,
  merchantId: string,
  until: Instant,
): Promise<void> {
  const postponed: string[] = [];
  const failures: unknown[] = [];
  for (;;) {
    const taken: DueWork[] = [];
    try {
      await database.transaction(async (tx) => {
        const work = await lockDueWork(tx, merchantId, { until, except: postponed });
        if (!work) return;
        taken.push(work);
        const done = await DOERS[work.kind](tx, { processor, merchantId }, work.subjectId, work.dueAt);
        if (!done) return deleteDueWorkRow(tx, merchantId, work);
        if (done === 'unfinished') return;
        const ifLeft = instant(realNow() + POSTPONED_MS);
        await updateStandingWork(tx, merchantId, { ...work, dueAt: done.next }, ifLeft);
      });
      if (taken.length > 0) continue;
      if (!(await hasDueWork(database.sql, merchantId, { until, except: postponed }))) break;
    } catch (error) {
      const [failed] = taken;
      if (!failed) throw error;
      if (!(error instanceof SubjectBusy)) {
        if (!(error instanceof ProcessorUnavailable)) failures.push(error);
        postponed.push(failed.subjectId);
        const runAt = instant(realNow() + POSTPONED_MS);
        await database.statement((tx) => updateDueWorkToLater(tx, merchantId, failed, runAt));
        continue;
      }
    }
    await sleep(WAIT_FOR_OTHERS_MS);
  }
  if (failures.length > 0) throw failures[0];
}
