/** Records events within the statement that causes them: in the same commit, without another round trip (decision 0074). */
import { realNow } from '../base/clock.js';
import type { Fragment, Sql } from '../database/database.js';
import { newRowUuid } from '../database/row-ids.js';
import { listEligible } from './eligible-queries.js';
import { EVENTS } from './model.js';

const KINDS = Object.keys(EVENTS);
const REQUIRED_PERMISSIONS = Object.values(EVENTS);

/**
 * CTEs for a statement that changes records of these merchants. Each row of `told` is a change. If a subscription wants it and its
 * application has the permission, an event and its deliveries are inserted. Without subscriptions this costs two index lookups.
 *
 * The columns of `told` are merchant_id, location_id, application_id (null: any), kind, entity_id, happened_at, and the object as
 * JSON text (null for v1 events, which have no object).
 */
export function insertEvents(sql: Sql, merchantIds: readonly string[], changes: readonly Fragment[]): Fragment {
  const [ids, now] = [[...new Set(merchantIds)], realNow()];
  return sql`
    told_listener as materialized (${listListeners(sql, ids)}),
    told as (${changes.reduce((all, each) => sql`${all} union all ${each}`)}),
    told_event as materialized (
      select
        told.merchant_id, told.kind, told.entity_id, told.location_id, told.happened_at, told.object,
        gen_random_uuid() as event_id, array_agg(distinct listener.subscription_id) as subscription_ids
      from told
      join told_listener listener on listener.merchant_id = told.merchant_id
        and listener.kind = told.kind
        and coalesce(listener.location_id, told.location_id, '') = coalesce(told.location_id, '')
        and coalesce(told.application_id, listener.application_id) = listener.application_id
      group by told.merchant_id, told.kind, told.entity_id, told.location_id, told.happened_at, told.object
    ),
    told_body as (
      insert into webhook_events (merchant_id, event_id, kind, entity_id, body, created_at)
      select merchant_id, event_id, kind, entity_id, ${printedBody(sql)}, ${now}::timestamptz
      from told_event
      cross join lateral (
        select case when kind like 'oauth.%' then 'revocation' else split_part(kind, '.', 1) end as noun
      ) as named
    ),
    told_delivery as (
      insert into webhook_deliveries (
        merchant_id, delivery_id, event_id, subscription_id, entity_id, state, run_at, created_at
      )
      select
        merchant_id, ${newRowUuid(sql, now)}, event_id, unnest(subscription_ids), entity_id, 'WAITING', ${now}::timestamptz,
        ${now}::timestamptz
      from told_event
    )`;
}

/** The subscriptions that may receive events of these merchants, with a row for each kind of event and location. */
function listListeners(sql: Sql, merchantIds: string[]): Fragment {
  return sql`
    select heard.merchant_id, heard.application_id, heard.subscription_id, wanted.kind, wanted.location_id
    from (
      ${listEligible(sql, (merchantOf) => sql`${sql(merchantOf)}.merchant_id = any (${merchantIds}::text[]) and s.enabled`)}
    ) as heard
    cross join lateral (
      select kind, null as location_id
      from unnest(heard.event_types) as kind
      union all
      select kind, nullif(w.location_id, 'me') as location_id
      from v1_webhooks w, unnest(w.event_types) as kind
      where heard.generation = 'v1' and w.merchant_id = heard.merchant_id and w.application_id = heard.application_id
    ) as wanted
    join ${requiredPermissions(sql)} on known.kind = wanted.kind
    where known.permission is null or known.permission = any (heard.permissions)`;
}

/** A table `known` with the permission that each kind of event requires; null: none. */
export function requiredPermissions(sql: Sql): Fragment {
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

/** A part of a statement: cancels the pending deliveries about the merchant to the applications in the CTE. */
export function updateDeliveriesToGivenUp(sql: Sql, merchantId: string, cte: string): Fragment {
  return sql`
    update webhook_deliveries
    set state = 'GIVEN_UP', run_at = null, taken_until = null
    where merchant_id = ${merchantId} and state = 'WAITING' and subscription_id in (
      select s.subscription_id
      from webhook_subscriptions s
      join ${sql(cte)} using (application_id)
    )`;
}

/** A part of a statement: deletes the merchant's v1 webhook settings for the applications in the CTE. */
export function deleteV1Settings(sql: Sql, merchantId: string, cte: string): Fragment {
  return sql`
    delete from v1_webhooks
    where merchant_id = ${merchantId} and application_id in (select application_id from ${sql(cte)})`;
}
