-- Who may sign in, and the retention of the audit log.

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
