/**
 * Releases the claim of work that lost the database, as soon as the database is back, instead of when the lease
 * expires.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { realNow } from '../base/clock.js';
import type { Instant } from '../base/time.js';
import type { DueWork } from '../business/due-work/model.js';
import { updateDueWorkToUnclaimed } from '../business/due-work/queries.js';
import { updateLeasedCallToUnclaimed } from '../business/payments/call-queries.js';
import type { Database } from '../database/database.js';
import { codeOf, unavailableReason } from '../database/unavailable.js';

const FIRST_PAUSE_MS = 50;
const MAX_BACKOFF_MS = 500;

export interface ClaimedWork extends DueWork {
  /** Identifies the claim: no other claim of this work has the same time. */
  readonly leasedUntil: Instant;
}

/**
 * Call this only after the attempt has ended. It releases only its own claim, so two workers never do the same work at
 * once.
 */
export async function releaseClaimWhenPossible(
  database: Database,
  merchantId: string,
  claimed: ClaimedWork,
): Promise<void> {
  let pauseMs = FIRST_PAUSE_MS;
  while (realNow() < claimed.leasedUntil) {
    try {
      await database.transaction(async (tx) => {
        await updateLeasedCallToUnclaimed(tx, merchantId, {
          paymentId: claimed.subjectId,
          leasedUntil: claimed.leasedUntil,
        });
        await updateDueWorkToUnclaimed(tx, merchantId, claimed, realNow());
      });
      return;
    } catch (error) {
      const isEnded = codeOf(error) === 'CONNECTION_ENDED';
      if (isEnded || unavailableReason(error) === undefined) return; // the lease will expire
      await sleep(pauseMs, undefined, { ref: false });
      pauseMs = Math.min(2 * pauseMs, MAX_BACKOFF_MS);
    }
  }
}
