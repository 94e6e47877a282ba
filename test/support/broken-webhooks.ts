/** Ways to break each law of what applications are told, and no other one. */
import type { Sql } from '../../src/database/database.js';

/** A delivery that was tried once and waits, and its event. */
export interface SoundWebhooks {
  readonly delivery: string;
  readonly event: string;
}

export async function findTold(sql: Sql, delivery: string): Promise<SoundWebhooks> {
  const [row] = await sql<{ id: string }[]>`
    select event_id as id from webhook_deliveries where delivery_id = ${delivery}`;
  return { delivery, event: row?.id ?? '' };
}

export const WEBHOOK_BREAKS = {
  'all attempts of a delivery are stored, and a delivered one has a successful attempt': [
    {
      how: 'one is missing',
      names: ({ delivery }: SoundWebhooks) => delivery,
      by: (sql: Sql, { delivery }: SoundWebhooks) => sql`
        delete from webhook_attempts where delivery_id = ${delivery}`,
    },
    {
      how: 'nobody took it',
      names: ({ delivery }: SoundWebhooks) => delivery,
      by: (sql: Sql, { delivery }: SoundWebhooks) => sql`
        update webhook_deliveries set state = 'DELIVERED', run_at = null, leased_until = null where delivery_id = ${delivery}`,
    },
  ],
  'a waiting delivery has a subscription for its merchant': [
    {
      how: 'there is no such subscription',
      names: ({ delivery }: SoundWebhooks) => delivery,
      by: (sql: Sql, { delivery }: SoundWebhooks) => sql`
        update webhook_deliveries set subscription_id = 'gone' where delivery_id = ${delivery}`,
    },
    {
      how: 'the subscription is about another merchant',
      names: ({ delivery }: SoundWebhooks) => delivery,
      by: (sql: Sql, { delivery }: SoundWebhooks) => sql`
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
      how: 'nobody wanted it',
      names: ({ event }: SoundWebhooks) => event,
      by: (sql: Sql, { delivery }: SoundWebhooks) => sql`
        with tried as (delete from webhook_attempts where delivery_id = ${delivery})
        delete from webhook_deliveries where delivery_id = ${delivery}`,
    },
    {
      how: 'it tells of another merchant',
      names: ({ event }: SoundWebhooks) => event,
      by: (sql: Sql, { event }: SoundWebhooks) => sql`
        update webhook_events set body = replace(body, merchant_id, 'MOTHER') where event_id = ${event}`,
    },
    {
      how: 'it tells of something else',
      names: ({ event }: SoundWebhooks) => event,
      by: (sql: Sql, { event }: SoundWebhooks) => sql`
        update webhook_events set kind = 'refund.created' where event_id = ${event}`,
    },
  ],
};
