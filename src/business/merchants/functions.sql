-- Clocks are moved here only.

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
