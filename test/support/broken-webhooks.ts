/** Changes that each break exactly one law about webhooks. */
import type { Sql } from '../../src/database/database.js';

/** A delivery that was attempted once and waits for a retry, and its event. */
export interface ValidWebhooks {
  readonly delivery: string;
  readonly event: string;
}

export async function findDeliveryEvent(sql: Sql, delivery: string): Promise<ValidWebhooks> {
  const [row] = await sql<{ id: string }[]>`
    select event_id as id from webhook_deliveries where delivery_id = ${delivery}`;
  return { delivery, event: row?.id ?? '' };
}

export const WEBHOOK_BREAKS = {
  'all attempts of a delivery are stored, and a delivered one has a successful attempt': [
    {
      how: 'an attempt is missing',
      violatingRow: ({ delivery }: ValidWebhooks) => delivery,
      by: (sql: Sql, { delivery }: ValidWebhooks) => sql`
        delete from webhook_attempts where delivery_id = ${delivery}`,
    },
    {
      how: 'no attempt succeeded',
      violatingRow: ({ delivery }: ValidWebhooks) => delivery,
      by: (sql: Sql, { delivery }: ValidWebhooks) => sql`
        update webhook_deliveries set state = 'DELIVERED', run_at = null, leased_until = null where delivery_id = ${delivery}`,
    },
  ],
  'a waiting delivery has a subscription for its merchant': [
    {
      how: 'the subscription does not exist',
      violatingRow: ({ delivery }: ValidWebhooks) => delivery,
      by: (sql: Sql, { delivery }: ValidWebhooks) => sql`
        update webhook_deliveries set subscription_id = 'gone' where delivery_id = ${delivery}`,
    },
    {
      how: 'the subscription belongs to another merchant',
      violatingRow: ({ delivery }: ValidWebhooks) => delivery,
      by: (sql: Sql, { delivery }: ValidWebhooks) => sql`
        with other as (
          insert into webhook_subscriptions
          select (jsonb_populate_record(s, '{"subscription_id": "another", "merchant_id": "MOTHER"}')).*
          from webhook_subscriptions s
          join webhook_deliveries d using (subscription_id)
          where d.delivery_id = ${delivery}
        )
        update webhook_deliveries set subscription_id = 'another' where delivery_id = ${delivery}`,
    },
  ],
  'an event matches its merchant and entity and has a delivery': [
    {
      how: 'it has no delivery',
      violatingRow: ({ event }: ValidWebhooks) => event,
      by: (sql: Sql, { delivery }: ValidWebhooks) => sql`
        with tried as (delete from webhook_attempts where delivery_id = ${delivery})
        delete from webhook_deliveries where delivery_id = ${delivery}`,
    },
    {
      how: 'its body names another merchant',
      violatingRow: ({ event }: ValidWebhooks) => event,
      by: (sql: Sql, { event }: ValidWebhooks) => sql`
        update webhook_events set body = replace(body, merchant_id, 'MOTHER') where event_id = ${event}`,
    },
    {
      how: 'its type does not match its entity',
      violatingRow: ({ event }: ValidWebhooks) => event,
      by: (sql: Sql, { event }: ValidWebhooks) => sql`
        update webhook_events set kind = 'refund.created' where event_id = ${event}`,
    },
  ],
};
