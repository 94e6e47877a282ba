-- Events and their deliveries are inserted here only (decision 0074).

-- The permission that a kind of event requires; null: none. Equal to the list in model.ts.
create function event_permission(p_kind text) returns text
language sql immutable parallel safe as $$
  select case p_kind
    when 'PAYMENT_UPDATED' then 'PAYMENTS_READ'
    when 'TIMECARD_UPDATED' then 'TIMECARDS_READ'
    when 'INVENTORY_UPDATED' then 'ITEMS_READ'
    when 'oauth.authorization.revoked' then null
    else 'PAYMENTS_READ'
  end
$$;

-- The body as contract 24 defines it. Ids and kinds need no escaping, and the object is already JSON.
create function print_event(p_merchant_id text, p_event_id uuid, p_change event_change) returns text
language plpgsql stable as $$
declare
  v_noun text := case
    when p_change.kind like 'oauth.%' then 'revocation'
    else split_part(p_change.kind, '.', 1)
  end;
begin
  if p_change.object is null then
    return '{"merchant_id":"' || p_merchant_id || '","location_id":"' || p_change.location_id
      || '","event_type":"' || p_change.kind || '","entity_id":"' || p_change.entity_id || '"}';
  end if;
  return '{"merchant_id":"' || p_merchant_id || '","type":"' || p_change.kind || '","event_id":"' || p_event_id
    || '","created_at":"' || to_char(p_change.happened_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    || '","data":{"type":"' || v_noun || '","id":"' || p_change.entity_id
    || '","object":{"' || v_noun || '":' || p_change.object || '}}}';
end
$$;

-- The subscriptions that may receive events of a merchant (decision 0076), with a row for each kind of event and location. A
-- subscription to one merchant has the permissions of its own authorization or personal token. A subscription to all merchants has
-- the permissions of the merchant's authorization of its application.
create function list_wanted_kinds(p_merchant_id text) returns wanted_kind[]
language plpgsql stable as $$
begin
  return array(
    select row(eligible.subscription_id, eligible.application_id, wanted.kind, wanted.location_id)::wanted_kind
    from (
      select s.subscription_id, s.application_id, s.generation, s.event_types, g.permissions
      from authorizations g
      join webhook_subscriptions s on s.application_id = g.application_id
        and (s.merchant_id is null or (s.merchant_id = g.merchant_id and s.authorization_id = g.authorization_id))
      where g.merchant_id = p_merchant_id and g.revoked_at is null and s.enabled
      union all
      select s.subscription_id, s.application_id, s.generation, s.event_types, t.permissions
      from webhook_subscriptions s
      join access_tokens t on t.token_hash = s.token_hash
      where s.merchant_id = p_merchant_id and s.enabled
        and t.revoked_at is null and coalesce(t.expires_at, 'infinity') > clock_timestamp()
    ) as eligible
    cross join lateral (
      select listed.kind, null as location_id
      from unnest(eligible.event_types) as listed (kind)
      union all
      select listed.kind, nullif(w.location_id, 'me')
      from v1_webhooks w, unnest(w.event_types) as listed (kind)
      where eligible.generation = 'v1' and w.merchant_id = p_merchant_id and w.application_id = eligible.application_id
    ) as wanted
    where event_permission(wanted.kind) is null or event_permission(wanted.kind) = any (eligible.permissions)
  );
end
$$;

-- Records the changes that a subscription wants, with their deliveries. Without subscriptions this costs two index lookups.
create function record_events(p_merchant_id text, p_changes event_change[]) returns void
language plpgsql as $$
declare
  -- Deliveries use real time (decision 0040), in milliseconds as everywhere.
  v_now timestamptz := date_trunc('milliseconds', clock_timestamp());
  v_wanted wanted_kind[] := list_wanted_kinds(p_merchant_id);
  v_events wanted_event[];
begin
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
    merchant_id, delivery_id, event_id, subscription_id, entity_id, state, run_at, created_at
  )
  select p_merchant_id, new_row_uuid(v_now), event_id, unnest(subscription_ids), entity_id, 'WAITING', v_now, v_now
  from unnest(v_events);
end
$$;
