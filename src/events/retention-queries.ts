/** Deletes old events with their deliveries and attempts, and subscriptions that have ended (decision 0078). */
import type { Instant } from '../base/time.js';
import type { Fragment, Sql, Tx } from '../database/database.js';
import { isActiveSubscription } from './eligible-queries.js';

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

/** For the alias `d`: it still has to be delivered. This does not hold if its subscription is disabled. */
function isPending(sql: Sql): Fragment {
  return sql`(
    d.state = 'WAITING'
    and exists (select from webhook_subscriptions s where s.subscription_id = d.subscription_id and s.enabled)
  )`;
}

/**
 * Deletes the oldest events of a merchant before that time, at most `limit`, with their deliveries and attempts. Returns how many
 * events. If one of them is resent meanwhile, its delivery stays, the foreign key makes the statement fail, and it is retried later.
 */
export async function deleteOldEvents(
  tx: Tx,
  merchantId: string,
  { before, limit }: { readonly before: Instant; readonly limit: number },
): Promise<number> {
  const deleted = await tx`
    with old as materialized (
      select event_id
      from webhook_events e
      where merchant_id = ${merchantId} and created_at < ${before}
        and not exists (
          select from webhook_deliveries d
          where d.merchant_id = ${merchantId} and d.event_id = e.event_id and ${isPending(tx)}
        )
      order by created_at
      limit ${limit}
      for update skip locked
    ),
    delivery as (
      delete from webhook_deliveries d
      using old
      where d.merchant_id = ${merchantId} and d.event_id = old.event_id and not ${isPending(tx)}
      returning d.delivery_id
    ),
    attempt as (
      delete from webhook_attempts a
      using delivery
      where a.merchant_id = ${merchantId} and a.delivery_id = delivery.delivery_id
    )
    delete from webhook_events e
    using old
    where e.merchant_id = ${merchantId} and e.event_id = old.event_id
    returning 1`;
  return deleted.length;
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
