-- Roles are changed and deleted here only.

-- Changes the given columns of a role. If no value differs, updated_at stays as it is. Returns the role, or null if there is none. Raises
-- role_version if p_version is given and the role has another one.
create function change_role(p_merchant_id text, p_role_id text, p_changes json, p_at timestamptz, p_version text) returns json
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_version text;
  v_before roles;
  v_after roles;
begin
  -- xmin is the transaction that wrote this version of the row.
  select xmin
  into v_version
  from roles
  where merchant_id = p_merchant_id and role_id = p_role_id
  for no key update;
  if not found then
    return null;
  end if;
  if v_version <> p_version then
    raise exception 'role_version: the role has changed';
  end if;

  select *
  into v_before
  from roles
  where merchant_id = p_merchant_id and role_id = p_role_id;
  v_after := json_populate_record(v_before, p_changes);
  if v_after is not distinct from v_before then
    return row_to_json(v_before);
  end if;

  v_after.updated_at := p_at;
  update roles
  set
    name = v_after.name,
    permissions = v_after.permissions,
    is_owner = v_after.is_owner,
    updated_at = v_after.updated_at
  where merchant_id = p_merchant_id and role_id = p_role_id;
  return row_to_json(v_after);
end
$$;

-- Deletes a role that nobody has. Returns false if there is no such role. Raises role_in_use if an employee has it.
create function delete_role(p_merchant_id text, p_role_id text) returns boolean
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
begin
  delete from roles
  where merchant_id = p_merchant_id and role_id = p_role_id;
  return found;
exception
  when foreign_key_violation then
    raise exception 'role_in_use: an employee has this role';
end
$$;
