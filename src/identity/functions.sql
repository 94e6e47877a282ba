-- Who may sign in.

-- Whether an employee may be signed in at a device (contract 3). No locations means all locations.
create function may_sign_in(p_employee employees, p_device devices) returns boolean
language sql immutable parallel safe as $$
  select p_employee.status = 'ACTIVE'
    and (cardinality(p_employee.location_ids) = 0 or p_device.location_id = any (p_employee.location_ids))
$$;
