-- What ends with the work of an employee, and retention.

-- Ends the sessions and keys of an employee at devices where the employee may no longer be signed in. Otherwise they would become valid
-- again if the change was undone. p_employee are the columns of the employee after the change, which saves them first: sign-ins in progress
-- have ended, and later ones see the change.
create function end_forbidden_sessions(p_merchant_id text, p_employee json, p_at timestamptz) returns void
language plpgsql as $$
declare
  v_employee employees := json_populate_record(null::employees, p_employee);
begin
  update register_sessions s
  set ended_at = p_at
  from devices d
  where s.merchant_id = p_merchant_id and s.employee_id = v_employee.employee_id and s.ended_at is null
    and d.merchant_id = s.merchant_id and d.device_id = s.device_id
    and not may_sign_in(v_employee.status, v_employee.location_ids, d.location_id);
  delete from register_keys k
  using devices d
  where k.merchant_id = p_merchant_id and k.employee_id = v_employee.employee_id
    and d.merchant_id = k.merchant_id and d.device_id = k.device_id
    and not may_sign_in(v_employee.status, v_employee.location_ids, d.location_id);
end
$$;

-- Deletes about p_limit of the oldest writes of a merchant before that time, and returns how many.
create function delete_old_register_writes(p_merchant_id text, p_before timestamptz, p_limit integer) returns integer
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_until timestamptz;
  v_count integer;
begin
  select max(created_at), count(*)
  into v_until, v_count
  from (
    select created_at
    from register_writes
    where merchant_id = p_merchant_id and created_at < p_before
    order by created_at
    limit p_limit
  ) as oldest;
  delete from register_writes
  where merchant_id = p_merchant_id and created_at <= v_until;
  return v_count;
end
$$;

-- Deletes approvals that nothing can name any more.
create function delete_old_approvals(p_merchant_id text, p_before timestamptz) returns void
language plpgsql as $$
begin
  delete from register_approvals
  where merchant_id = p_merchant_id and created_at < p_before;
end
$$;
