/**
 * Releases the claim of work that lost the database, as soon as the database is back, instead of when the lease
 * expires.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { realNow } from '../base/clock.js';
import { type ClaimedWork, updateClaimToReleased } from '../business/payments/call-queries.js';
import type { Database } from '../database/database.js';
import { codeOf, unavailableReason } from '../database/unavailable.js';

const FIRST_PAUSE_MS = 50;
const MAX_BACKOFF_MS = 500;

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
      return await database.statement((tx) => updateClaimToReleased(tx, merchantId, claimed, realNow()));
    } catch (error) {
      const isEnded = codeOf(error) === 'CONNECTION_ENDED';
      if (isEnded || unavailableReason(error) === undefined) return; // the lease will expire
      await sleep(pauseMs, undefined, { ref: false });
      pauseMs = Math.min(2 * pauseMs, MAX_BACKOFF_MS);
    }
  }
}
