-- Who may sign in.

-- Whether an employee may be signed in at a device (contract 3). No locations means all locations.
create function may_sign_in(p_status text, p_location_ids text[], p_device_location_id text) returns boolean
language sql immutable parallel safe as $$
  select p_status = 'ACTIVE' and (cardinality(p_location_ids) = 0 or p_device_location_id = any (p_location_ids))
$$;
