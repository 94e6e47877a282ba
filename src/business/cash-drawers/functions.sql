-- Cash drawer shifts and their events are inserted and changed here only.

-- Opens a shift. p_shift is its row.
create function open_drawer_shift(p_merchant_id text, p_shift json) returns void
language plpgsql as $$
begin
  insert into cash_drawer_shifts (
    merchant_id, shift_id, location_id, device_id, device_name, state, description, opened_at, opening_employee_id, employee_ids,
    currency, opened_cash
  )
  select
    p_merchant_id, shift_id, location_id, device_id, device_name, state, description, opened_at, opening_employee_id, employee_ids,
    currency, opened_cash
  from json_populate_record(null::cash_drawer_shifts, p_shift);
end
$$;

-- Saves a shift that has ended or closed. p_shift has its new state, and who changed it when. The caller depends on its version.
create function move_drawer_shift(p_merchant_id text, p_shift json) returns void
language plpgsql as $$
declare
  v_shift cash_drawer_shifts := json_populate_record(null::cash_drawer_shifts, p_shift);
begin
  update cash_drawer_shifts
  set
    state = v_shift.state,
    ended_at = v_shift.ended_at,
    closed_at = v_shift.closed_at,
    ending_employee_id = v_shift.ending_employee_id,
    closing_employee_id = v_shift.closing_employee_id,
    closed_cash = v_shift.closed_cash,
    closing_note = v_shift.closing_note,
    employee_ids = v_shift.employee_ids
  where merchant_id = p_merchant_id and shift_id = v_shift.shift_id;
end
$$;

-- Stores the report of a shift that the same change closes. p_report is its row.
create function store_drawer_report(p_merchant_id text, p_report json) returns void
language plpgsql as $$
declare
  v_report cash_drawer_reports := json_populate_record(null::cash_drawer_reports, p_report);
begin
  insert into cash_drawer_reports (merchant_id, shift_id, report, sale_ids, refund_ids)
  values (p_merchant_id, v_report.shift_id, v_report.report, v_report.sale_ids, v_report.refund_ids);
end
$$;

-- Records an event of an open shift. p_event is its row, and p_added what it adds to each sum of the shift. Its employee becomes a
-- participant of the shift. If the shift is not OPEN, it has changed since it was found: the change is repeated.
create function record_drawer_event(p_merchant_id text, p_event json, p_added json) returns void
language plpgsql as $$
declare
  v_event cash_drawer_events := json_populate_record(null::cash_drawer_events, p_event);
  v_added cash_drawer_shifts := json_populate_record(null::cash_drawer_shifts, p_added);
begin
  update cash_drawer_shifts
  set
    cash_payments = cash_payments + v_added.cash_payments,
    cash_refunds = cash_refunds + v_added.cash_refunds,
    cash_paid_in = cash_paid_in + v_added.cash_paid_in,
    cash_paid_out = cash_paid_out + v_added.cash_paid_out,
    employee_ids = with_employee(employee_ids, v_event.employee_id)
  where merchant_id = p_merchant_id and shift_id = v_event.shift_id and state = 'OPEN';
  if not found then
    raise exception 'open_drawer_shift: the shift is not OPEN' using errcode = 'serialization_failure';
  end if;
  insert into cash_drawer_events (
    merchant_id, shift_id, event_id, employee_id, kind, amount, subject_id, description, created_at
  )
  values (
    p_merchant_id, v_event.shift_id, v_event.event_id, v_event.employee_id, v_event.kind, v_event.amount, v_event.subject_id,
    v_event.description, v_event.created_at
  );
end
$$;

-- The participants of a shift with one more employee, without duplicates.
create function with_employee(p_employee_ids uuid[], p_employee_id uuid) returns uuid[]
language sql immutable parallel safe as $$
  select case when p_employee_id = any (p_employee_ids) then p_employee_ids else p_employee_ids || p_employee_id end
$$;
