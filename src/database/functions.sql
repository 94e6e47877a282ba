-- Functions that know no room.

-- A new UUID that is ordered by time like all others (decision 0014): the first 12 digits are the time in milliseconds, the rest is
-- random.
create function new_row_uuid(p_at timestamptz) returns uuid
language sql volatile parallel safe as $$
  select (
    overlay(lpad(to_hex((extract(epoch from p_at) * 1000)::bigint), 12, '0') placing '-' from 9 for 0)
    || '-7' || substr(gen_random_uuid()::text, 16)
  )::uuid
$$;
