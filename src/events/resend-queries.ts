/** Every SQL statement that repeats deliveries or makes them due earlier. */
import { isUuid } from '../base/ids.js';
import type { Instant } from '../base/time.js';
import type { Tx } from '../database/database.js';
import { fn } from '../database/functions.js';

/** Sends a delivery again, as if its event had just happened, if its subscription is active. */
export async function moveDeliveryToWaiting(
  tx: Tx,
  merchantId: string,
  deliveryId: string,
  now: Instant,
): Promise<'moved' | 'no subscription' | 'no delivery'> {
  if (!isUuid(deliveryId)) return 'no delivery';
  const [row] = await tx<{ moved: boolean | null }[]>`
    select ${fn(tx, 'resend_delivery')}(${merchantId}, ${deliveryId}, ${now}) as moved`;
  if (!row || row.moved === null) return 'no delivery';
  return row.moved ? 'moved' : 'no subscription';
}

/** Sends an event again to its active subscriptions. Returns to how many, undefined if there is no such event. */
export async function moveEventToWaiting(
  tx: Tx,
  merchantId: string,
  eventId: string,
  now: Instant,
): Promise<number | undefined> {
  if (!isUuid(eventId)) return undefined;
  const [row] = await tx<{ moved: number | null }[]>`
    select ${fn(tx, 'resend_event')}(${merchantId}, ${eventId}, ${now}) as moved`;
  return row?.moved ?? undefined;
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
