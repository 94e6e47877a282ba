-- Events of cash drawer shifts are inserted here only.

-- Records an event of an open shift. p_event is its row, and p_added what it adds to each sum of the shift. Its employee becomes a
-- participant of the shift. Raises open_drawer_shift if the shift is not OPEN: the caller has locked it.
create function record_drawer_event(p_merchant_id text, p_event json, p_added json) returns void
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_event cash_drawer_events := json_populate_record(null::cash_drawer_events, p_event);
  v_added cash_drawer_shifts := json_populate_record(null::cash_drawer_shifts, p_added);
begin
  v_event.merchant_id := p_merchant_id;
  update cash_drawer_shifts
  set
    cash_payments = cash_payments + v_added.cash_payments,
    cash_refunds = cash_refunds + v_added.cash_refunds,
    cash_paid_in = cash_paid_in + v_added.cash_paid_in,
    cash_paid_out = cash_paid_out + v_added.cash_paid_out,
    employee_ids = with_employee(employee_ids, v_event.employee_id)
  where merchant_id = p_merchant_id and shift_id = v_event.shift_id and state = 'OPEN';
  if not found then
    raise exception 'open_drawer_shift: the shift is not OPEN';
  end if;
  insert into cash_drawer_events
  values (v_event.*);
end
$$;

-- The participants of a shift with one more employee, without duplicates.
create function with_employee(p_employee_ids uuid[], p_employee_id uuid) returns uuid[]
language sql immutable parallel safe as $$
  select case when p_employee_id = any (p_employee_ids) then p_employee_ids else p_employee_ids || p_employee_id end
$$;
