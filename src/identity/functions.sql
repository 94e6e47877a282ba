-- Who may sign in, who watches a merchant's changes, and the retention of the audit log.

-- Whether an employee may be signed in at a device (contract 3). No locations means all locations.
create function may_sign_in(p_status text, p_location_ids text[], p_device_location_id text) returns boolean
language sql immutable parallel safe as $$
  select p_status = 'ACTIVE' and (cardinality(p_location_ids) = 0 or p_device_location_id = any (p_location_ids))
$$;

-- Deletes the oldest entries before that time, at most p_limit. Returns how many were deleted.
create function delete_old_audit(p_merchant_id text, p_before timestamptz, p_limit integer) returns integer
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_ids text[] := array(
    select audit_event_id
    from audit_events
    where merchant_id = p_merchant_id and occurred_at < p_before
    order by occurred_at
    limit p_limit
    for update skip locked
  );
begin
  delete from audit_events
  where merchant_id = p_merchant_id and audit_event_id = any (v_ids);
  return cardinality(v_ids);
end
$$;

-- Records until when a server watches a merchant (in milliseconds). Deletes servers that no longer watch, and marks that all have seen.
-- Returns whether the merchant was watched before.
create function watch_merchant(p_merchant_id text, p_server_id text, p_now bigint, p_until bigint, p_seen_before bigint) returns boolean
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_watchers jsonb;
  v_marks jsonb;
begin
  insert into merchant_watches (merchant_id, watchers, marks)
  values (p_merchant_id, '{}', '{}')
  on conflict (merchant_id) do nothing;
  select watchers, marks
  into v_watchers, v_marks
  from merchant_watches
  where merchant_id = p_merchant_id
  for update;
  select coalesce(jsonb_object_agg(key, value), '{}')
  into v_watchers
  from jsonb_each(v_watchers)
  where value::bigint > p_now;
  select coalesce(jsonb_object_agg(key, value), '{}')
  into v_marks
  from jsonb_each(v_marks)
  where (value ->> 'at')::bigint > p_seen_before;
  update merchant_watches
  set watchers = v_watchers || jsonb_build_object(p_server_id, p_until), marks = v_marks
  where merchant_id = p_merchant_id;
  return v_watchers <> '{}';
end
$$;

-- Tells the servers that watch a merchant what a server has changed: {"at": 1, "sales": 1}, in milliseconds. Does nothing without a watch.
create function announce_changes(p_merchant_id text, p_server_id text, p_marks jsonb) returns void
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
begin
  update merchant_watches
  set marks = marks || jsonb_build_object(p_server_id, coalesce(marks -> p_server_id, '{}') || p_marks)
  where merchant_id = p_merchant_id;
end
$$;
