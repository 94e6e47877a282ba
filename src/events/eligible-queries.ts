/** SQL fragments that decide which subscriptions may receive events of a merchant. */
import { realNow } from '../base/clock.js';
import type { Fragment, Sql } from '../database/database.js';

/**
 * Subscriptions that may receive events of a merchant, with their permissions for that merchant (decision 0076). A subscription to
 * one merchant has the permissions of its own authorization or personal token. A subscription to all merchants has one row for each
 * authorization of its application. `among` is a condition on the alias `s` and on the given alias, which has the merchant.
 */
export function listEligible(sql: Sql, among: (merchantOf: 'g' | 's') => Fragment): Fragment {
  return sql`
    select g.merchant_id, s.application_id, g.permissions, s.subscription_id, s.generation, s.event_types
    from authorizations g
    join webhook_subscriptions s on s.application_id = g.application_id
      and (s.merchant_id is null or (s.merchant_id = g.merchant_id and s.authorization_id = g.authorization_id))
    where g.revoked_at is null and ${among('g')}
    union all
    select s.merchant_id, s.application_id, t.permissions, s.subscription_id, s.generation, s.event_types
    from webhook_subscriptions s
    join access_tokens t on t.token_hash = s.token_hash
    where ${isValid(sql)} and ${among('s')}`;
}

/** For the alias `t`: neither revoked nor expired. */
function isValid(sql: Sql): Fragment {
  return sql`(t.revoked_at is null and coalesce(t.expires_at, 'infinity') > ${realNow()})`;
}

/** For `webhook_subscriptions`: its authorization or personal token is valid. */
export function isActiveSubscription(sql: Sql): Fragment {
  return sql`(
    webhook_subscriptions.merchant_id is null
    or exists (
      select from authorizations g
      where g.merchant_id = webhook_subscriptions.merchant_id
        and g.authorization_id = webhook_subscriptions.authorization_id
        and g.revoked_at is null
    )
    or exists (select from access_tokens t where t.token_hash = webhook_subscriptions.token_hash and ${isValid(sql)})
  )`;
}

/** For the alias `d`, a delivery: it may be sent again. The event of a revocation may always be sent again. */
export function mayBeResent(sql: Sql): Fragment {
  const ofDelivery = (merchantOf: 'g' | 's') => sql`
    s.subscription_id = d.subscription_id and ${sql(merchantOf)}.merchant_id = d.merchant_id`;
  return sql`(
    exists (${listEligible(sql, ofDelivery)})
    or exists (
      select from webhook_events e, webhook_subscriptions s
      where e.merchant_id = d.merchant_id and e.event_id = d.event_id and e.kind = 'oauth.authorization.revoked'
        and s.subscription_id = d.subscription_id
    )
  )`;
}
