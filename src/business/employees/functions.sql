-- Employees are changed here only.

-- Changes the given columns of an employee. If no value differs, updated_at stays as it is. If the employee may no longer work at some
-- registers, the sessions there end at p_now (real time). Returns the employee, or null if there is none. Raises employee_version if
-- p_version is given and the employee has another one, and active_owner if the owner would become inactive.
create function change_employee(
  p_merchant_id text, p_employee_id uuid, p_changes json, p_at timestamptz, p_now timestamptz, p_version text
)
returns json
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_version text;
  v_before employees;
  v_after employees;
begin
  -- xmin is the transaction that wrote this version of the row.
  select xmin
  into v_version
  from employees
  where merchant_id = p_merchant_id and employee_id = p_employee_id
  for no key update;
  if not found then
    return null;
  end if;
  if v_version <> p_version then
    raise exception 'employee_version: the employee has changed';
  end if;

  select *
  into v_before
  from employees
  where merchant_id = p_merchant_id and employee_id = p_employee_id;
  v_after := json_populate_record(v_before, p_changes);
  if v_after is not distinct from v_before then
    return row_to_json(v_before);
  end if;
  if v_after.is_owner and v_after.status = 'INACTIVE' and v_before.status = 'ACTIVE' then
    raise exception 'active_owner: the owner stays active';
  end if;

  v_after.updated_at := p_at;
  update employees
  set
    first_name = v_after.first_name,
    last_name = v_after.last_name,
    email = v_after.email,
    phone_number = v_after.phone_number,
    external_id = v_after.external_id,
    role_id = v_after.role_id,
    location_ids = v_after.location_ids,
    status = v_after.status,
    updated_at = v_after.updated_at
  where merchant_id = p_merchant_id and employee_id = p_employee_id;
  if (v_after.status, v_after.location_ids) is distinct from (v_before.status, v_before.location_ids) then
    perform end_forbidden_sessions(v_after, p_now);
  end if;
  return row_to_json(v_after);
end
$$;
