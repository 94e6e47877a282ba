/** Gives back what an attempt had taken when the database went away under it: as soon as that is back, not when its time is up. */
import { setTimeout as sleep } from 'node:timers/promises';
import { realNow } from '../base/clock.js';
import type { Instant } from '../base/time.js';
import type { DueWork } from '../business/due-work/model.js';
import { updateDueWorkToFree } from '../business/due-work/queries.js';
import { updateTakenCallToFree } from '../business/payments/call-queries.js';
import type { Database } from '../database/database.js';
import { codeOf, whyUnavailable } from '../database/unavailable.js';

const FIRST_PAUSE_MS = 50;
const MAX_BACKOFF_MS = 500;

export interface Taken extends DueWork {
  /** By this time it is known whose it is: nobody else takes it before, or for the same time. */
  readonly takenUntil: Instant;
}

/** For an attempt that has ended: only its own taking is undone, so nothing is ever done by two at the same time. */
export async function giveBackWhenPossible(database: Database, merchantId: string, taken: Taken): Promise<void> {
  let pauseMs = FIRST_PAUSE_MS;
  while (realNow() < taken.takenUntil) {
    try {
      await database.transaction(async (tx) => {
        await updateTakenCallToFree(tx, merchantId, { paymentId: taken.subjectId, takenUntil: taken.takenUntil });
        await updateDueWorkToFree(tx, merchantId, taken, realNow());
      });
      return;
    } catch (error) {
      const isEnded = codeOf(error) === 'CONNECTION_ENDED';
      if (isEnded || whyUnavailable(error) === undefined) return; // it is free when its time is up
      await sleep(pauseMs, undefined, { ref: false });
      pauseMs = Math.min(2 * pauseMs, MAX_BACKOFF_MS);
    }
  }
}
