/** Every SQL statement that lets deliveries be tried sooner than they would be, or again. */
import { isUuid } from '../base/ids.js';
import type { Instant } from '../base/time.js';
import type { Tx } from '../database/database.js';
import { mayBeResent } from './eligible-queries.js';

/**
 * Every delivery of an event to WAITING again, as if it had just happened, to those whose subscription is in force. They
 * were made at the event's own time, by which they are found.
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
      set state = 'WAITING', run_at = ${now}, taken_until = null, failures = 0
      from event
      where d.merchant_id = ${merchantId} and d.created_at = event.created_at and d.event_id = ${eventId}
        and ${mayBeResent(tx)}
      returning d.delivery_id
    )
    select exists (select from event) as found, (select count(*) from moved) as moved`;
  return row ?? { found: false, moved: 0 };
}

/** What waits and is in nobody's hands is tried now: retries that have hours to go, and what is late on purpose. */
export async function updateDeliveriesToDueNow(tx: Tx, merchantId: string, now: Instant): Promise<number> {
  const hurried = await tx<{ deliveryId: string }[]>`
    update webhook_deliveries
    set run_at = ${now}
    where merchant_id = ${merchantId} and state = 'WAITING' and run_at > ${now}
      and (taken_until is null or taken_until <= ${now})
    returning delivery_id`;
  return hurried.length;
}
