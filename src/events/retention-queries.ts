/** Deletes old events with their deliveries and attempts, and subscriptions that have ended (decision 0078). */
import { realNow } from '../base/clock.js';
import type { Instant } from '../base/time.js';
import type { Fragment, Sql, Tx } from '../database/database.js';
import { fn } from '../database/functions.js';

/** For `webhook_subscriptions`: its authorization or personal token is valid. */
const isActiveSubscription = (tx: Tx): Fragment => tx`(
  webhook_subscriptions.merchant_id is null
  or exists (
    select from authorizations g
    where g.merchant_id = webhook_subscriptions.merchant_id
      and g.authorization_id = webhook_subscriptions.authorization_id
      and g.revoked_at is null
  )
  or exists (
    select from access_tokens t
    where t.merchant_id = webhook_subscriptions.merchant_id and t.token_hash = webhook_subscriptions.token_hash
      and t.revoked_at is null and coalesce(t.expires_at, 'infinity') > ${realNow()}
  )
)`;

/** Limits the query to the oldest events. */
const SCAN_LIMIT = 10_000;

export async function listMerchantsWithOldEvents(sql: Sql, before: Instant): Promise<string[]> {
  const rows = await sql<{ merchantId: string }[]>`
    select distinct merchant_id
    from (
      select merchant_id
      from webhook_events
      where created_at < ${before}
      order by created_at
      limit ${SCAN_LIMIT}
    ) as oldest`;
  return rows.map(({ merchantId }) => merchantId);
}

/**
 * Deletes the oldest events of a merchant before that time, at most `limit`, with their deliveries and attempts. Keeps events that
 * still have to be delivered. Returns how many events were deleted.
 */
export async function deleteOldEvents(
  tx: Tx,
  merchantId: string,
  { before, limit }: { readonly before: Instant; readonly limit: number },
): Promise<number> {
  const [row] = await tx<{ deleted: number }[]>`
    select ${fn(tx, 'delete_old_events')}(${merchantId}, ${before}, ${limit}) as deleted`;
  return row?.deleted ?? 0;
}

/** Deletes subscriptions whose authorization or token is no longer valid, if they have no pending deliveries. Returns how many. */
export async function deleteEndedSubscriptions(tx: Tx, limit: number): Promise<number> {
  const deleted = await tx`
    delete from webhook_subscriptions
    where subscription_id in (
      select subscription_id
      from webhook_subscriptions
      where not ${isActiveSubscription(tx)}
        and not exists (
          select from webhook_deliveries d
          where d.subscription_id = webhook_subscriptions.subscription_id and d.run_at is not null
        )
      limit ${limit}
      for update skip locked
    )
    returning 1`;
  return deleted.length;
}
