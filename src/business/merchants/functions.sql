-- Merchants and locations are inserted here only, and clocks are moved here only.

-- Creates a merchant with its locations, in the order given, and its recurring work.
create function create_merchant(p_merchant_id text, p_merchant json, p_locations json, p_works json) returns void
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_base merchants;
begin
  v_base.merchant_id := p_merchant_id;
  v_base.restricts_discounts := false;
  insert into merchants
  select merchant.*
  from json_populate_record(v_base, p_merchant) as merchant;

  insert into locations (merchant_id, location_id, name, timezone, status, type, profile, created_at, ordinal)
  select p_merchant_id, location_id, name, timezone, status, type, profile, created_at, place - 1
  from
    json_array_elements(p_locations) with ordinality as given (location, place),
    json_populate_record(null::locations, given.location);

  perform add_due_work(p_merchant_id, array(select json_array_elements(p_works)));
end
$$;

-- Moves the clock of a merchant, and recomputes the run times of its due work. p_moved_at is the real time of the move, and p_works is
-- recurring work that is rescheduled. The caller does the work that becomes due; a worker does the rest at p_overdue_run_at.
create function move_clock(
  p_merchant_id text, p_offset_ms bigint, p_frozen_at timestamptz, p_moved_at timestamptz, p_works json,
  p_overdue_run_at timestamptz
)
returns void
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
begin
  -- First, because add_due_work reads the clock under a lock: work that is added meanwhile is seen below, or sees the new clock.
  perform
  from merchants
  where merchant_id = p_merchant_id
  for update;
  update merchants
  set clock_offset_ms = p_offset_ms, clock_frozen_at = p_frozen_at, clock_moved_at = p_moved_at
  where merchant_id = p_merchant_id;

  perform add_due_work(p_merchant_id, array(select json_array_elements(p_works)));
  perform renew_run_times(p_merchant_id, p_overdue_run_at);
end
$$;

-- Adds a location after all others, with its recurring work. An unknown picture as logo is refused. Returns false if the merchant has
-- p_limit locations.
create function create_location(p_merchant_id text, p_location json, p_works json, p_limit integer) returns boolean
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_location locations := json_populate_record(null::locations, p_location);
  v_count integer;
begin
  -- Locks the merchant, so that concurrent calls get different ordinals.
  perform
  from merchants
  where merchant_id = p_merchant_id
  for update;
  select count(*)
  into v_count
  from locations
  where merchant_id = p_merchant_id;
  if v_count >= p_limit then
    return false;
  end if;
  insert into locations (merchant_id, location_id, name, timezone, status, type, profile, created_at, ordinal)
  values (
    p_merchant_id, v_location.location_id, v_location.name, v_location.timezone, v_location.status, v_location.type,
    v_location.profile, v_location.created_at, v_count
  );
  perform use_picture(p_merchant_id, 'location:' || v_location.location_id, v_location.profile ->> 'logoPictureId');
  perform add_due_work(p_merchant_id, array(select json_array_elements(p_works)));
  return true;
end
$$;

-- Changes a location that the caller has locked. p_works is recurring work that is rescheduled.
create function edit_location(p_merchant_id text, p_location json, p_works json) returns void
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_location locations := json_populate_record(null::locations, p_location);
begin
  update locations
  set
    name = v_location.name, timezone = v_location.timezone, status = v_location.status, profile = v_location.profile
  where merchant_id = p_merchant_id and location_id = v_location.location_id;
  perform use_picture(p_merchant_id, 'location:' || v_location.location_id, v_location.profile ->> 'logoPictureId');
  perform add_due_work(p_merchant_id, array(select json_array_elements(p_works)));
end
$$;
