-- Devices and passcodes are written here only.

-- Pairs a device and stores the hash of its token (null: it has none).
create function pair_device(p_merchant_id text, p_device json, p_token_hash bytea) returns void
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_base devices;
  v_device devices;
begin
  v_base.merchant_id := p_merchant_id;
  v_device := json_populate_record(v_base, p_device);
  insert into devices
  values (v_device.*);
  if p_token_hash is not null then
    insert into device_tokens (merchant_id, token_hash, device_id, created_at)
    values (p_merchant_id, p_token_hash, v_device.device_id, v_device.created_at);
  end if;
end
$$;

-- Deletes tokens that nobody received, and the devices that were paired with them: those that have no other token.
create function undo_pairings(p_merchant_id text, p_token_hashes bytea[]) returns void
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_device_ids text[] := array(
    select device_id
    from device_tokens
    where merchant_id = p_merchant_id and token_hash = any (p_token_hashes)
  );
begin
  delete from device_tokens
  where merchant_id = p_merchant_id and token_hash = any (p_token_hashes);
  delete from devices d
  where d.merchant_id = p_merchant_id and d.device_id = any (v_device_ids)
    and not exists (
      select from device_tokens t
      where t.merchant_id = p_merchant_id and t.device_id = d.device_id
    );
end
$$;

-- Revokes the token of a device, and ends every session and every key of it. Returns false if there is no such device.
create function unpair_device(p_merchant_id text, p_device_id text, p_at timestamptz) returns boolean
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
begin
  update devices
  set unpaired_at = coalesce(unpaired_at, p_at)
  where merchant_id = p_merchant_id and device_id = p_device_id;
  if not found then
    return false;
  end if;
  update device_tokens
  set revoked_at = p_at
  where merchant_id = p_merchant_id and device_id = p_device_id and revoked_at is null;
  update register_sessions
  set ended_at = p_at
  where merchant_id = p_merchant_id and device_id = p_device_id and ended_at is null;
  delete from register_keys
  where merchant_id = p_merchant_id and device_id = p_device_id;
  return true;
end
$$;

-- Sets the passcode of an employee and ends the employee's sessions and keys at registers. Returns false if there is no such employee.
create function set_passcode(p_merchant_id text, p_employee_id uuid, p_passcode_hash text, p_at timestamptz) returns boolean
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
begin
  insert into employee_passcodes (merchant_id, employee_id, passcode_hash)
  select merchant_id, employee_id, p_passcode_hash
  from employees
  where merchant_id = p_merchant_id and employee_id = p_employee_id
  on conflict (merchant_id, employee_id) do update
  set passcode_hash = excluded.passcode_hash;
  if not found then
    return false;
  end if;
  -- Afterwards, so that it finds the sessions that were started meanwhile.
  update register_sessions
  set ended_at = p_at
  where merchant_id = p_merchant_id and employee_id = p_employee_id and ended_at is null;
  delete from register_keys
  where merchant_id = p_merchant_id and employee_id = p_employee_id;
  return true;
end
$$;

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

-- Records a write of a register with its response. Raises a unique violation if it was recorded before.
create function record_register_write(p_merchant_id text, p_write json) returns void
language plpgsql as $$
declare
  v_write register_writes := json_populate_record(null::register_writes, p_write);
begin
  insert into register_writes (merchant_id, device_id, client_id, request_hash, response, created_at)
  values (
    p_merchant_id, v_write.device_id, v_write.client_id, v_write.request_hash, v_write.response, v_write.created_at
  );
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

-- Records what the owner should look at in a write of a register. A sale and another write can have the same id.
create function record_register_flags(p_merchant_id text, p_flags json) returns void
language plpgsql as $$
declare
  v_write register_flags := json_populate_record(null::register_flags, p_flags);
begin
  insert into register_flags (
    merchant_id, device_id, client_id, operation, employee_id, occurred_at, arrived_at, flags, sale_id, is_open
  )
  values (
    p_merchant_id, v_write.device_id, v_write.client_id, v_write.operation, v_write.employee_id, v_write.occurred_at,
    v_write.arrived_at, v_write.flags, v_write.sale_id, v_write.is_open
  )
  on conflict (merchant_id, device_id, client_id) do update
  set flags = register_flags.flags || excluded.flags, is_open = register_flags.is_open or excluded.is_open;
end
$$;

-- Stores an approval, and deletes those of the merchant that nothing can name any more.
create function record_approval(p_merchant_id text, p_approval json) returns void
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_approval register_approvals := json_populate_record(null::register_approvals, p_approval);
begin
  delete from register_approvals
  where merchant_id = p_merchant_id and created_at < v_approval.created_at - interval '11 days';
  insert into register_approvals (
    merchant_id, approval_id, device_id, employee_id, operation, sale_id, amount, created_at, used_at, used_by
  )
  values (
    p_merchant_id, v_approval.approval_id, v_approval.device_id, v_approval.employee_id, v_approval.operation,
    v_approval.sale_id, v_approval.amount, v_approval.created_at, v_approval.used_at, v_approval.used_by
  );
end
$$;

-- Uses an approval for a write. The caller has read that it is unused, or not stored because it was signed offline: a concurrent use is
-- refused by its version, or raises a unique violation.
create function use_approval(p_merchant_id text, p_approval json) returns void
language plpgsql as $$
declare
  v_approval register_approvals := json_populate_record(null::register_approvals, p_approval);
begin
  update register_approvals
  set used_at = v_approval.used_at, used_by = v_approval.used_by
  where merchant_id = p_merchant_id and approval_id = v_approval.approval_id and used_at is null;
  if not found then
    perform record_approval(p_merchant_id, p_approval);
  end if;
end
$$;
