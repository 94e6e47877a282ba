/** Records events within the statement that causes them: in the same commit, without another round trip (decision 0074). */
import { realNow } from '../base/clock.js';
import type { Fragment, Sql } from '../database/database.js';
import { newRowUuid } from '../database/row-ids.js';
import { EVENTS } from './model.js';

const KINDS = Object.keys(EVENTS);
const REQUIRED_PERMISSIONS = Object.values(EVENTS);

/**
 * CTEs for a statement that changes records of these merchants. Each row of `change` is a change. If a subscription wants it and its
 * application has the permission, an event and its deliveries are inserted. Without subscriptions this costs two index lookups.
 *
 * The columns of `change` are merchant_id, location_id, application_id (null: any), kind, entity_id, happened_at, and the object as
 * JSON text (null for v1 events, which have no object).
 */
export function insertEvents(sql: Sql, merchantIds: readonly string[], changes: readonly Fragment[]): Fragment {
  const [ids, now] = [[...new Set(merchantIds)], realNow()];
  return sql`
    wanted_event as materialized (${listWantedEvents(sql, ids)}),
    change as (${changes.reduce((all, each) => sql`${all} union all ${each}`)}),
    event_row as materialized (
      select
        change.merchant_id, change.kind, change.entity_id, change.location_id, change.happened_at, change.object,
        gen_random_uuid() as event_id, array_agg(distinct wanted.subscription_id) as subscription_ids
      from change
      join wanted_event wanted on wanted.merchant_id = change.merchant_id
        and wanted.kind = change.kind
        and coalesce(wanted.location_id, change.location_id, '') = coalesce(change.location_id, '')
        and coalesce(change.application_id, wanted.application_id) = wanted.application_id
      group by change.merchant_id, change.kind, change.entity_id, change.location_id, change.happened_at, change.object
    ),
    event_insert as (
      insert into webhook_events (merchant_id, event_id, kind, entity_id, body, created_at)
      select merchant_id, event_id, kind, entity_id, ${printedBody(sql)}, ${now}::timestamptz
      from event_row
      cross join lateral (
        select case when kind like 'oauth.%' then 'revocation' else split_part(kind, '.', 1) end as noun
      ) as named
    ),
    delivery_insert as (
      insert into webhook_deliveries (
        merchant_id, delivery_id, event_id, subscription_id, entity_id, state, run_at, created_at
      )
      select
        merchant_id, ${newRowUuid(sql, now)}, event_id, unnest(subscription_ids), entity_id, 'WAITING', ${now}::timestamptz,
        ${now}::timestamptz
      from event_row
    )`;
}

/** The subscriptions that may receive events of these merchants, with a row for each kind of event and location. */
function listWantedEvents(sql: Sql, merchantIds: string[]): Fragment {
  return sql`
    select subscription.merchant_id, subscription.application_id, subscription.subscription_id, wanted.kind, wanted.location_id
    from (
      ${listEligible(sql, (merchantOf) => sql`${sql(merchantOf)}.merchant_id = any (${merchantIds}::text[]) and s.enabled`)}
    ) as subscription
    cross join lateral (
      select kind, null as location_id
      from unnest(subscription.event_types) as kind
      union all
      select kind, nullif(w.location_id, 'me') as location_id
      from v1_webhooks w, unnest(w.event_types) as kind
      where subscription.generation = 'v1' and w.merchant_id = subscription.merchant_id and w.application_id = subscription.application_id
    ) as wanted
    join ${requiredPermissions(sql)} on known.kind = wanted.kind
    where known.permission is null or known.permission = any (subscription.permissions)`;
}

/** As the function `list_eligible_subscriptions`. `among` is a condition on `s` and on the given alias, which has the merchant. */
function listEligible(sql: Sql, among: (merchantOf: 'g' | 's') => Fragment): Fragment {
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
    where t.revoked_at is null and coalesce(t.expires_at, 'infinity') > ${realNow()} and ${among('s')}`;
}

/** A table `known` with the permission that each kind of event requires; null: none. */
function requiredPermissions(sql: Sql): Fragment {
  return sql`unnest(${KINDS}::text[], ${REQUIRED_PERMISSIONS}::text[]) as known (kind, permission)`;
}

/** The body as contract 24 defines it. Ids and kinds need no escaping, and the object is already JSON. */
function printedBody(sql: Sql): Fragment {
  return sql`
    case
      when object is null then
        '{"merchant_id":"' || merchant_id || '","location_id":"' || location_id || '","event_type":"' || kind
        || '","entity_id":"' || entity_id || '"}'
      else
        '{"merchant_id":"' || merchant_id || '","type":"' || kind || '","event_id":"' || event_id
        || '","created_at":"' || to_char(happened_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
        || '","data":{"type":"' || noun || '","id":"' || entity_id || '","object":{"' || noun || '":' || object || '}}}'
    end`;
}
