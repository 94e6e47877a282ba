-- Events and their deliveries are inserted here only (decision 0074).

-- p_kinds without those in p_removed.
create function without_kinds(p_kinds text[], p_removed text[]) returns text[]
language plpgsql immutable parallel safe as $$
begin
  return array(
    select kind
    from unnest(p_kinds) as kind
    where kind <> all (p_removed)
  );
end
$$;

-- The body as contract 24 defines it. Kinds of v1 have no dot, and their body has no object. Ids and kinds need no escaping, and the object
-- is already JSON.
create function print_event(p_merchant_id text, p_event_id uuid, p_change event_change) returns text
language plpgsql stable as $$
declare
  v_noun text := case
    when p_change.kind like 'oauth.%' then 'revocation'
    else split_part(p_change.kind, '.', 1)
  end;
begin
  if p_change.kind not like '%.%' then
    return '{"merchant_id":"' || p_merchant_id || '","location_id":"' || p_change.location_id
      || '","event_type":"' || p_change.kind || '","entity_id":"' || p_change.entity_id || '"}';
  end if;
  return '{"merchant_id":"' || p_merchant_id || '","type":"' || p_change.kind || '","event_id":"' || p_event_id
    || '","created_at":"' || to_char(p_change.happened_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    || '","data":{"type":"' || v_noun || '","id":"' || p_change.entity_id || '"'
    || coalesce(',"object":{"' || v_noun || '":' || p_change.object || '}', '') || '}}';
end
$$;

-- The body of a test message: that of an event without its object.
create function print_test_event(p_merchant_id text, p_event_id uuid, p_kind text, p_entity_id text, p_at timestamptz) returns text
language plpgsql stable
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
begin
  return print_event(p_merchant_id, p_event_id, row(null, null, p_kind, p_entity_id, p_at, null)::event_change);
end
$$;

-- The subscriptions that may receive events of a merchant, with their permissions for that merchant (decision 0076). A subscription to
-- one merchant has the permissions of its own authorization or personal token. A subscription to all merchants has the permissions of
-- the merchant's authorization of its application.
create function list_eligible_subscriptions(p_merchant_id text, p_now timestamptz) returns setof eligible_subscription
language plpgsql stable as $$
begin
  return query
  select s.subscription_id, s.application_id, s.generation, s.enabled, s.event_types, g.permissions
  from authorizations g
  join webhook_subscriptions s on s.application_id = g.application_id
    and (s.merchant_id is null or (s.merchant_id = g.merchant_id and s.authorization_id = g.authorization_id))
  where g.merchant_id = p_merchant_id and g.revoked_at is null
  union all
  select s.subscription_id, s.application_id, s.generation, s.enabled, s.event_types, t.permissions
  from webhook_subscriptions s
  join access_tokens t on t.merchant_id = p_merchant_id and t.token_hash = s.token_hash
  where s.merchant_id = p_merchant_id and t.revoked_at is null and coalesce(t.expires_at, 'infinity') > p_now;
end
$$;

-- Whether a kind of event may be received with these permissions. `event_permission` is printed from the list in model.ts.
create function may_receive(p_kind text, p_permissions text[]) returns boolean
language sql immutable parallel safe as $$
  select event_permission(p_kind) is null or event_permission(p_kind) = any (p_permissions)
$$;

-- What subscriptions may receive of a merchant, with a row for each kind of event and location.
create function list_wanted_kinds(p_merchant_id text, p_now timestamptz) returns wanted_kind[]
language plpgsql stable as $$
declare
  v_eligible eligible_subscription[] := array(
    select eligible
    from list_eligible_subscriptions(p_merchant_id, p_now) as eligible
    where eligible.enabled
  );
  v_wanted wanted_kind[] := array(
    select row(eligible.subscription_id, eligible.application_id, kind, null)::wanted_kind
    from unnest(v_eligible) as eligible, unnest(eligible.event_types) as kind
    where may_receive(kind, eligible.permissions)
  );
  v_setting record;
begin
  if exists (select from unnest(v_eligible) as eligible where eligible.generation = 'v1') then
    for v_setting in
      select application_id, location_id, event_types
      from v1_webhooks
      where merchant_id = p_merchant_id
    loop
      v_wanted := v_wanted || array(
        select row(eligible.subscription_id, eligible.application_id, kind, nullif(v_setting.location_id, 'me'))::wanted_kind
        from unnest(v_eligible) as eligible, unnest(v_setting.event_types) as kind
        where eligible.generation = 'v1' and eligible.application_id = v_setting.application_id
          and may_receive(kind, eligible.permissions)
      );
    end loop;
  end if;
  return v_wanted;
end
$$;

-- Whether a subscription may receive events of the merchant. On a distributed database these two index lookups are much faster than listing
-- the subscriptions, and than the same lookups as exists () or array ().
create function has_subscriptions(p_merchant_id text) returns boolean
language plpgsql stable as $$
declare
  v_application_ids text[];
begin
  select array_agg(application_id)
  into v_application_ids
  from authorizations
  where merchant_id = p_merchant_id and revoked_at is null;

  perform
  from webhook_subscriptions
  where merchant_id = p_merchant_id or (application_id = any (v_application_ids) and merchant_id is null)
  limit 1;
  return found;
end
$$;

-- Which of these merchants have events that a subscription may receive.
create function list_merchants_with_subscriptions(p_merchant_ids text[]) returns setof text
language plpgsql stable as $$
begin
  return query
  select merchant_id
  from webhook_subscriptions
  where merchant_id = any (p_merchant_ids)
  union
  select g.merchant_id
  from authorizations g
  join webhook_subscriptions s on s.application_id = g.application_id and s.merchant_id is null
  where g.merchant_id = any (p_merchant_ids) and g.revoked_at is null;
end
$$;

-- Records the changes that a subscription wants, with their deliveries. Callers ask has_subscriptions first, because most merchants have none.
create function record_events(p_merchant_id text, p_changes event_change[]) returns void
language plpgsql as $$
declare
  -- Deliveries use real time (decision 0040), in milliseconds as everywhere.
  v_now timestamptz := date_trunc('milliseconds', clock_timestamp());
  v_wanted wanted_kind[];
  v_events wanted_event[];
  -- The ordinal of the first delivery. A change of an entity holds its lock until the commit, so the next change of it gets a later time.
  v_ordinal bigint := clock_microseconds();
begin
  v_wanted := list_wanted_kinds(p_merchant_id, v_now);
  if cardinality(v_wanted) = 0 then
    return;
  end if;
  v_events := array(
    select row(
      event_id, change.kind, change.entity_id, print_event(p_merchant_id, event_id, change), subscription_ids
    )::wanted_event
    from
      unnest(p_changes) as change,
      lateral (
        select gen_random_uuid() as event_id, array_agg(distinct subscription_id) as subscription_ids
        from unnest(v_wanted) as wanted
        where wanted.kind = change.kind
          and coalesce(wanted.location_id, change.location_id, '') = coalesce(change.location_id, '')
          and coalesce(change.application_id, wanted.application_id) = wanted.application_id
      ) as receivers
    where subscription_ids is not null
  );
  if cardinality(v_events) = 0 then
    return;
  end if;

  insert into webhook_events (merchant_id, event_id, kind, entity_id, body, created_at)
  select p_merchant_id, event_id, kind, entity_id, body, v_now
  from unnest(v_events);

  insert into webhook_deliveries (
    merchant_id, delivery_id, event_id, subscription_id, entity_id, state, run_at, created_at, ordinal
  )
  select
    p_merchant_id, new_row_uuid(v_now), event_id, unnest(subscription_ids), entity_id, 'WAITING', v_now, v_now, v_ordinal + place
  from unnest(v_events) with ordinality as event (event_id, kind, entity_id, body, subscription_ids, place);
end
$$;

-- The enabled subscriptions with deliveries of a merchant that wait. One to all merchants can have them only if the merchant has
-- authorized its application. A subscription is due with its first delivery without a claim, or when a claim ends. Only the first
-- deliveries are searched for claims, because there can be as many claims as all workers together have in flight.
create function list_waiting_receivers(p_merchant_id text) returns setof waiting_receiver
language plpgsql stable as $$
declare
  v_application_ids text[] := array(
    select distinct application_id
    from authorizations
    where merchant_id = p_merchant_id
  );
  v_receiver waiting_receiver;
  v_claim_ends_at timestamptz;
begin
  for v_receiver.subscription_id in
    select subscription_id
    from webhook_subscriptions
    where enabled and (merchant_id = p_merchant_id or (merchant_id is null and application_id = any (v_application_ids)))
  loop
    select run_at
    into v_receiver.due_at
    from webhook_deliveries
    where merchant_id = p_merchant_id and subscription_id = v_receiver.subscription_id and run_at is not null
      and leased_until is null
    order by run_at
    limit 1;
    select min(greatest(run_at, leased_until))
    into v_claim_ends_at
    from (
      select run_at, leased_until
      from webhook_deliveries
      where merchant_id = p_merchant_id and subscription_id = v_receiver.subscription_id and run_at is not null
      order by run_at
      limit 200
    ) as first;
    v_receiver.due_at := least(v_receiver.due_at, v_claim_ends_at);
    if v_receiver.due_at is not null then
      return next v_receiver;
    end if;
  end loop;
end
$$;

-- Claims deliveries with a lease, so that no lock is held while a message is sent. An event of an entity waits until every earlier event
-- of that entity was attempted once (decision 0075). It does not wait for deliveries that a fault delays (decision 0083).
create function claim_deliveries(
  p_merchant_id text, p_subscription_id text, p_now timestamptz, p_until timestamptz, p_limit integer
)
returns setof claimed_delivery
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_permissions text[] := array(
    select unnest(permissions)
    from list_eligible_subscriptions(p_merchant_id, p_now)
    where subscription_id = p_subscription_id
  );
  v_delivery_ids uuid[] := array(
    select delivery_id
    from webhook_deliveries d
    where merchant_id = p_merchant_id and subscription_id = p_subscription_id and run_at <= p_now
      and (leased_until is null or leased_until <= p_now)
      -- It may have been disabled since the worker found it.
      and exists (select from webhook_subscriptions s where s.subscription_id = p_subscription_id and s.enabled)
      and not exists (
        select from webhook_deliveries earlier
        where earlier.merchant_id = p_merchant_id and earlier.subscription_id = p_subscription_id
          and earlier.entity_id = d.entity_id and earlier.ordinal < d.ordinal
          and earlier.state = 'WAITING' and earlier.attempts = 0
          and coalesce(earlier.fault, '') not like '%WEBHOOK_LATE'
      )
    order by run_at, ordinal
    limit p_limit
    for update skip locked
  );
  v_watchers jsonb;
begin
  if cardinality(v_delivery_ids) = 0 then
    return;
  end if;
  -- The commit does not wait for the disk. A crash that loses the claim also ends the attempt, which is repeated in any case.
  perform set_config('synchronous_commit', 'off', true);
  select watchers
  into v_watchers
  from merchant_watches
  where merchant_id = p_merchant_id;
  return query
  update webhook_deliveries d
  set leased_until = p_until
  from webhook_events e, webhook_subscriptions s
  where d.merchant_id = p_merchant_id and d.delivery_id = any (v_delivery_ids)
    and e.merchant_id = p_merchant_id and e.event_id = d.event_id
    and s.subscription_id = p_subscription_id
  returning
    d.delivery_id, d.failures, d.retry_reason, d.first_tried_at, d.fault, d.ordinal, e.kind, e.body, s.notification_url, s.signature_key,
    may_receive(e.kind, v_permissions), v_watchers;
end
$$;

-- Records attempts. An attempt changes the state of its delivery only if the delivery still has the lease of the attempt. Otherwise it was
-- resent or given up meanwhile, or the attempt took longer than its lease and another worker has claimed the delivery.
create function record_attempts(p_merchant_id text, p_attempts json) returns void
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_attempts delivery_attempt[] := array(
    select attempt
    from json_populate_recordset(null::delivery_attempt, p_attempts) as attempt
    order by attempt.delivery_id
  );
begin
  update webhook_deliveries d
  set
    attempts = d.attempts + 1,
    failures = d.failures + case when attempt.failure is not null and d.leased_until = attempt.leased_until then 1 else 0 end,
    retry_reason = coalesce(attempt.failure, d.retry_reason),
    first_tried_at = coalesce(d.first_tried_at, attempt.first_tried_at),
    state = case
      when d.leased_until is distinct from attempt.leased_until then d.state
      when attempt.failure is null then 'DELIVERED'
      when attempt.retry_at is null then 'GIVEN_UP'
      else 'WAITING'
    end,
    run_at = case when d.leased_until = attempt.leased_until then attempt.retry_at else d.run_at end,
    leased_until = nullif(d.leased_until, attempt.leased_until)
  from unnest(v_attempts) as attempt
  where d.merchant_id = p_merchant_id and d.delivery_id = attempt.delivery_id;

  -- The deliveries are locked now, so each still has the number of this attempt.
  insert into webhook_attempts (merchant_id, delivery_id, number, started_at, duration_ms, status, failure, response)
  select
    p_merchant_id, d.delivery_id, d.attempts, attempt.started_at, attempt.duration_ms, attempt.status, attempt.failure,
    attempt.response
  from unnest(v_attempts) as attempt
  join webhook_deliveries d on d.merchant_id = p_merchant_id and d.delivery_id = attempt.delivery_id;
end
$$;

-- Resets deliveries in any state to WAITING, as if their events had just happened, if their subscriptions may still receive them.
-- Returns how many.
create function reset_deliveries(p_merchant_id text, p_delivery_ids uuid[], p_now timestamptz) returns integer
language plpgsql as $$
declare
  v_subscription_ids text[] := array(
    select subscription_id
    from webhook_deliveries
    where merchant_id = p_merchant_id and delivery_id = any (p_delivery_ids)
  );
  v_eligible_ids text[];
  v_count integer;
begin
  -- Locks the subscriptions first, like their deletion: the two wait for each other, and the second sees what the first did.
  perform
  from webhook_subscriptions
  where subscription_id = any (v_subscription_ids)
  order by subscription_id
  for key share;

  v_eligible_ids := array(select subscription_id from list_eligible_subscriptions(p_merchant_id, p_now));
  update webhook_deliveries d
  set
    state = 'WAITING',
    run_at = p_now,
    leased_until = null,
    failures = 0
  where d.merchant_id = p_merchant_id and d.delivery_id = any (p_delivery_ids)
    and (
      d.subscription_id = any (v_eligible_ids)
      -- The event of a revocation may always be sent again.
      or exists (
        select from webhook_events e, webhook_subscriptions s
        where e.merchant_id = p_merchant_id and e.event_id = d.event_id and e.kind = 'oauth.authorization.revoked'
          and s.subscription_id = d.subscription_id
      )
    );
  get diagnostics v_count = row_count;
  return v_count;
end
$$;

-- Returns false if the subscription of the delivery is no longer active, and null if there is no such delivery.
create function resend_delivery(p_merchant_id text, p_delivery_id uuid, p_now timestamptz) returns boolean
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
begin
  if not exists (select from webhook_deliveries where merchant_id = p_merchant_id and delivery_id = p_delivery_id) then
    return null;
  end if;
  return reset_deliveries(p_merchant_id, array[p_delivery_id], p_now) = 1;
end
$$;

-- Resends an event to its active subscriptions, and to those that have been added since and want it. Returns to how many, or null if there
-- is no such event.
create function resend_event(p_merchant_id text, p_event_id uuid, p_now timestamptz) returns integer
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_event webhook_events;
  v_known_ids text[];
  v_wanted wanted_kind[];
  v_location_id text;
  v_delivery_ids uuid[];
begin
  select *
  into v_event
  from webhook_events
  where merchant_id = p_merchant_id and event_id = p_event_id;
  if not found then
    return null;
  end if;
  v_known_ids := array(select subscription_id from webhook_deliveries where merchant_id = p_merchant_id and event_id = p_event_id);
  v_wanted := list_wanted_kinds(p_merchant_id, p_now);
  -- Events of v1 are about a location.
  v_location_id := v_event.body::json ->> 'location_id';
  insert into webhook_deliveries (
    merchant_id, delivery_id, event_id, subscription_id, entity_id, state, run_at, created_at, ordinal
  )
  select
    p_merchant_id, new_row_uuid(p_now), p_event_id, listener.subscription_id, v_event.entity_id, 'WAITING', p_now, p_now,
    clock_microseconds()
  from (
    select distinct subscription_id
    from unnest(v_wanted) as wanted
    where wanted.kind = v_event.kind and coalesce(wanted.location_id, v_location_id, '') = coalesce(v_location_id, '')
      -- Only the application whose authorization was revoked receives this event.
      and v_event.kind <> 'oauth.authorization.revoked'
      and wanted.subscription_id <> all (v_known_ids)
  ) as listener;
  -- In a variable, because a distributed database would run the whole expression on a shard.
  v_delivery_ids := array(select delivery_id from webhook_deliveries where merchant_id = p_merchant_id and event_id = p_event_id);
  return reset_deliveries(p_merchant_id, v_delivery_ids, p_now);
end
$$;

-- Ends what an application receives about a merchant: gives up its pending deliveries, and deletes its v1 settings.
create function end_notifications(p_merchant_id text, p_application_id text) returns void
language plpgsql as $$
declare
  v_subscription_ids text[] := array(
    select subscription_id
    from webhook_subscriptions
    where application_id = p_application_id and (merchant_id is null or merchant_id = p_merchant_id)
  );
begin
  update webhook_deliveries
  set
    state = 'GIVEN_UP',
    run_at = null,
    leased_until = null
  where merchant_id = p_merchant_id and subscription_id = any (v_subscription_ids) and run_at is not null;
  delete from v1_webhooks
  where merchant_id = p_merchant_id and application_id = p_application_id;
end
$$;

-- Adds a second delivery of the same event, because of a fault, if the first one is still WAITING.
create function duplicate_delivery(p_merchant_id text, p_delivery_id uuid, p_now timestamptz, p_fault text) returns void
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_delivery webhook_deliveries;
begin
  update webhook_deliveries
  set fault = p_fault
  where merchant_id = p_merchant_id and delivery_id = p_delivery_id and state = 'WAITING'
  returning *
  into v_delivery;
  if found then
    insert into webhook_deliveries (
      merchant_id, delivery_id, event_id, subscription_id, entity_id, state, run_at, created_at, fault, ordinal
    )
    values (
      p_merchant_id, new_row_uuid(p_now), v_delivery.event_id, v_delivery.subscription_id, v_delivery.entity_id, 'WAITING', p_now,
      v_delivery.created_at, p_fault, clock_microseconds()
    );
  end if;
end
$$;

-- Deletes the oldest events before that time, at most p_limit, with their deliveries and attempts (decision 0078). Keeps events that
-- still have to be delivered; deliveries to a disabled subscription do not count. Returns how many were deleted.
create function delete_old_events(p_merchant_id text, p_before timestamptz, p_limit integer) returns integer
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_event_ids uuid[] := array(
    select event_id
    from webhook_events e
    where merchant_id = p_merchant_id and created_at < p_before
      and not exists (
        select from webhook_deliveries d
        join webhook_subscriptions s using (subscription_id)
        where d.merchant_id = p_merchant_id and d.event_id = e.event_id and d.state = 'WAITING' and s.enabled
      )
    order by created_at
    limit p_limit
    for update of e skip locked
  );
  v_pending_ids uuid[];
begin
  -- Waits for deliveries that are being resent. Their events are kept.
  perform
  from webhook_deliveries
  where merchant_id = p_merchant_id and event_id = any (v_event_ids)
  for update;
  v_pending_ids := array(
    select d.event_id
    from webhook_deliveries d
    join webhook_subscriptions s using (subscription_id)
    where d.merchant_id = p_merchant_id and d.event_id = any (v_event_ids) and d.state = 'WAITING' and s.enabled
  );
  v_event_ids := array(select unnest(v_event_ids) except select unnest(v_pending_ids));

  delete from webhook_attempts a
  using webhook_deliveries d
  where d.merchant_id = p_merchant_id and d.event_id = any (v_event_ids)
    and a.merchant_id = p_merchant_id and a.delivery_id = d.delivery_id;
  delete from webhook_deliveries
  where merchant_id = p_merchant_id and event_id = any (v_event_ids);
  delete from webhook_events
  where merchant_id = p_merchant_id and event_id = any (v_event_ids);
  return cardinality(v_event_ids);
end
$$;

-- Merchants with subscriptions whose authorization or personal token is no longer valid, on the shard of a value. Subscriptions to all
-- merchants do not end.
create function list_merchants_with_ended_subscriptions(p_merchant_id text, p_now timestamptz) returns setof text
language plpgsql stable
set search_path from current
as $$
begin
  return query execute format('
    select distinct s.merchant_id
    from %s as s
    join %s as m on m.merchant_id = s.merchant_id
    where not exists (
        select from %s as g
        where g.merchant_id = s.merchant_id and g.authorization_id = s.authorization_id and g.revoked_at is null
      )
      and not exists (
        select from %s as t
        where t.merchant_id = s.merchant_id and t.token_hash = s.token_hash
          and t.revoked_at is null and coalesce(t.expires_at, ''infinity'') > $1
      )',
    shard_table('webhook_subscriptions', p_merchant_id), shard_table('merchants', p_merchant_id),
    shard_table('authorizations', p_merchant_id), shard_table('access_tokens', p_merchant_id))
  using p_now;
end
$$;

-- Deletes subscriptions to events of the merchant whose authorization or personal token is no longer valid, if nothing waits for delivery.
create function delete_ended_subscriptions(p_merchant_id text, p_now timestamptz) returns void
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_eligible_ids text[] := array(select subscription_id from list_eligible_subscriptions(p_merchant_id, p_now));
  v_subscription_ids text[];
begin
  -- Skips subscriptions that a resend has locked: they will have a delivery that waits. A later run looks at them again.
  v_subscription_ids := array(
    select subscription_id
    from webhook_subscriptions
    where merchant_id = p_merchant_id
    for update skip locked
  );
  v_subscription_ids := array(
    select subscription_id
    from unnest(v_subscription_ids) as held (subscription_id)
    where subscription_id <> all (v_eligible_ids)
      and not exists (
        select from webhook_deliveries d
        where d.merchant_id = p_merchant_id and d.subscription_id = held.subscription_id and d.run_at is not null
      )
  );
  delete from webhook_subscriptions
  where merchant_id = p_merchant_id and subscription_id = any (v_subscription_ids);
end
$$;
