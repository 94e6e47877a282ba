/** Every SQL statement that repeats deliveries or makes them due earlier. */
import { isUuid } from '../base/ids.js';
import type { Instant } from '../base/time.js';
import type { Tx } from '../database/database.js';
import { mayBeResent } from './eligible-queries.js';

/**
 * Resets every delivery of an event to WAITING, as if the event had just happened, if its subscription is active. Deliveries are found
 * by `created_at`, which is indexed and equals that of the event.
 */
export async function moveEventToWaiting(
  tx: Tx,
  merchantId: string,
  eventId: string,
  now: Instant,
): Promise<{ readonly found: boolean; readonly moved: number }> {
  if (!isUuid(eventId)) return { found: false, moved: 0 };
  const [row] = await tx<{ found: boolean; moved: number }[]>`
    with event as (
      select created_at
      from webhook_events
      where merchant_id = ${merchantId} and event_id = ${eventId}
    ),
    moved as (
      update webhook_deliveries d
      set state = 'WAITING', run_at = ${now}, leased_until = null, failures = 0
      from event
      where d.merchant_id = ${merchantId} and d.created_at = event.created_at and d.event_id = ${eventId}
        and ${mayBeResent(tx)}
      returning d.delivery_id
    )
    select exists (select from event) as found, (select count(*) from moved) as moved`;
  return row ?? { found: false, moved: 0 };
}

/** Makes all pending deliveries due now that no worker has claimed: retries, and deliveries that a fault delays. Returns how many. */
export async function updateDeliveriesToDueNow(tx: Tx, merchantId: string, now: Instant): Promise<number> {
  const updated = await tx<{ deliveryId: string }[]>`
    update webhook_deliveries
    set run_at = ${now}
    where merchant_id = ${merchantId} and state = 'WAITING' and run_at > ${now}
      and (leased_until is null or leased_until <= ${now})
    returning delivery_id`;
  return updated.length;
}
