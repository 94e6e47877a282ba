-- Due work is inserted here only.

-- Converts a time of the merchant's clock to real time. While the clock is frozen there is no such time (null). Work that is already
-- due by a frozen clock must still run: it gets p_overdue_run_at.
create function to_run_at(
  p_due_at timestamptz, p_clock_offset_ms bigint, p_clock_frozen_at timestamptz, p_overdue_run_at timestamptz
)
returns timestamptz
language sql immutable parallel safe as $$
  select case
    when p_clock_frozen_at is null then p_due_at - p_clock_offset_ms * interval '1 millisecond'
    when p_due_at <= p_clock_frozen_at then p_overdue_run_at
  end
$$;

-- The run time of work that is overdue when it is added. That happens if another server moved the clock after this one read it: the move
-- did not see this row.
create function at_once() returns timestamptz
language sql immutable parallel safe as $$
  select timestamptz 'epoch'
$$;

-- Adds work, or reschedules it if it is there. Each item has kind, subject_id and due_at. Locks the merchant, so that no concurrent move of
-- the clock is missed.
create function add_due_work(p_merchant_id text, p_works json[]) returns void
language plpgsql as $$
declare
  v_clock record;
begin
  if cardinality(p_works) = 0 then
    return;
  end if;
  select clock_offset_ms, clock_frozen_at
  into strict v_clock
  from merchants
  where merchant_id = p_merchant_id
  for key share;

  insert into due_work (merchant_id, kind, subject_id, due_at, run_at)
  select
    p_merchant_id, work.kind, work.subject_id, work.due_at,
    to_run_at(work.due_at, v_clock.clock_offset_ms, v_clock.clock_frozen_at, at_once())
  from unnest(p_works) as given, json_populate_record(null::due_work, given) as work
  on conflict (merchant_id, kind, subject_id) do update
  set due_at = excluded.due_at, run_at = excluded.run_at;
end
$$;

-- Adds work of several merchants. Each item names its merchant.
create function add_due_work_of_merchants(p_works json) returns void
language plpgsql as $$
declare
  v_merchant_id text;
  v_works json[];
begin
  for v_merchant_id, v_works in
    select given ->> 'merchant_id', array_agg(given)
    from json_array_elements(p_works) as given
    group by 1
    order by 1
  loop
    perform add_due_work(v_merchant_id, v_works);
  end loop;
end
$$;

-- Adds the open work of a generated history.
create function schedule_work(p_merchant_id text, p_works json) returns void
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
begin
  perform add_due_work(p_merchant_id, array(select json_array_elements(p_works)));
end
$$;

-- Adds work that is due at once. It need not read the clock, because a clock never goes back (decision 0042).
create function add_overdue_work(p_merchant_id text, p_work json) returns void
language plpgsql as $$
begin
  insert into due_work (merchant_id, kind, subject_id, due_at, run_at)
  select p_merchant_id, kind, subject_id, due_at, at_once()
  from json_populate_record(null::due_work, p_work);
end
$$;

-- Recomputes the run times of all work of a merchant whose clock has moved. Work that is overdue by a frozen clock runs at
-- p_overdue_run_at.
create function renew_run_times(p_merchant_id text, p_overdue_run_at timestamptz) returns void
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_clock record;
begin
  select clock_offset_ms, clock_frozen_at
  into strict v_clock
  from merchants
  where merchant_id = p_merchant_id;

  update due_work
  set run_at = to_run_at(due_at, v_clock.clock_offset_ms, v_clock.clock_frozen_at, p_overdue_run_at)
  where merchant_id = p_merchant_id;
end
$$;

-- Moves recurring work on to its next time. Reads the clock without a lock: the change has locked the work, so a concurrent move of the
-- clock waits for it and then updates it. Work that is overdue by a frozen clock runs at p_overdue_run_at.
create function move_due_work(
  p_merchant_id text, p_kind text, p_subject_id text, p_due_at timestamptz, p_overdue_run_at timestamptz
)
returns void
language plpgsql as $$
begin
  update due_work
  set
    due_at = p_due_at,
    run_at = to_run_at(p_due_at, clock_offset_ms, clock_frozen_at, p_overdue_run_at)
  from merchants
  where merchants.merchant_id = p_merchant_id and due_work.merchant_id = p_merchant_id
    and kind = p_kind and subject_id = p_subject_id;
end
$$;

-- When the next work of a merchant runs; null: none. Looks only at the 100 rows that are due first. If all of them were postponed, other
-- work may run earlier; a worker finds it a little later.
create function next_run_at(p_merchant_id text) returns timestamptz
language plpgsql stable as $$
begin
  return (
    select min(run_at)
    from (
      select run_at
      from due_work
      where merchant_id = p_merchant_id and run_at is not null
      order by due_at
      limit 100
    ) as oldest
  );
end
$$;
