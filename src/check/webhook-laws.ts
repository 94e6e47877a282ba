/** Laws of webhook events and deliveries. */
import type { Law } from './law.js';

export const WEBHOOK_LAWS: readonly Law[] = [
  {
    name: 'all attempts of a delivery are stored, and a delivered one has a successful attempt',
    statement: `
      select d.merchant_id, d.delivery_id::text as subject,
        format('%s after %s attempts, %s stored, %s successful', d.state, d.attempts, a.kept, a.taken) as found
      from webhook_deliveries d
      cross join lateral (
        select count(*) as kept, coalesce(max(number), 0) as last, count(*) filter (where failure is null) as taken
        from webhook_attempts a
        where a.merchant_id = d.merchant_id and a.delivery_id = d.delivery_id
      ) a
      where a.kept <> d.attempts or a.last <> d.attempts or (d.state = 'DELIVERED' and a.taken = 0)`,
  },
  {
    name: 'a waiting delivery has a subscription for its merchant',
    statement: `
      select d.merchant_id, d.delivery_id::text as subject, format('for subscription %s', d.subscription_id) as found
      from webhook_deliveries d
      left join webhook_subscriptions s using (subscription_id)
      where d.state = 'WAITING' and (s.subscription_id is null or coalesce(s.merchant_id, d.merchant_id) <> d.merchant_id)`,
  },
  {
    name: 'an event matches its merchant and entity and has a delivery',
    statement: `
      select e.merchant_id, e.event_id::text as subject, format('%s of %s', e.kind, e.entity_id) as found
      from webhook_events e
      where (e.merchant_id, e.event_id, e.entity_id) not in (
          select merchant_id, event_id, entity_id
          from webhook_deliveries
        )
        or e.body::json ->> 'merchant_id' is distinct from e.merchant_id
        or coalesce(e.body::json ->> 'type', e.body::json ->> 'event_type') is distinct from e.kind
        or coalesce(e.body::json -> 'data' ->> 'id', e.body::json ->> 'entity_id') is distinct from e.entity_id`,
  },
];
