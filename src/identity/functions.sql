-- Who may sign in, and the retention of the audit log.

-- Whether an employee may be signed in at a device (contract 3). No locations means all locations.
create function may_sign_in(p_status text, p_location_ids text[], p_device_location_id text) returns boolean
language sql immutable parallel safe as $$
  select p_status = 'ACTIVE' and (cardinality(p_location_ids) = 0 or p_device_location_id = any (p_location_ids))
$$;

-- Records an entry of the audit log. p_event is its row.
create function record_audit(p_merchant_id text, p_event json) returns void
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_event audit_events := json_populate_record(null::audit_events, p_event);
begin
  insert into audit_events (
    merchant_id, audit_event_id, occurred_at, kind, address, account_id, application_id, employee_id, device_id, occurrences, details
  )
  values (
    p_merchant_id, v_event.audit_event_id, v_event.occurred_at, v_event.kind, v_event.address, v_event.account_id,
    v_event.application_id, v_event.employee_id, v_event.device_id, v_event.occurrences, v_event.details
  );
end
$$;

-- The merchants that have one of the p_limit oldest entries of the audit log before that time, on the shard of a value.
create function list_merchants_with_old_audit(p_merchant_id text, p_before timestamptz, p_limit integer) returns setof text
language plpgsql stable
set search_path from current
as $$
begin
  return query execute format('
    select distinct merchant_id
    from (select merchant_id from %s where occurred_at < $1 order by occurred_at limit $2) as oldest',
    shard_table('audit_events', p_merchant_id))
  using p_before, p_limit;
end
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
