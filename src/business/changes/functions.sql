-- Applies changes that were decided on what was read (src/database/change.ts, decision 0132).

-- Runs the steps of a change in one commit, and returns the result of each. p_expected are the rows on which the decision rests, each with
-- table, key and version. If one has another version, the change is refused with serialization_failure, and the caller decides again.
-- p_calls are the names of the steps, with commas between them, and p_arguments a JSON document for each, one in each line: so each is parsed
-- alone, and not again and again as a part of one large document.
create function apply_change(p_merchant_id text, p_expected json, p_calls text, p_arguments text) returns setof json
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_row json;
  v_call text;
  v_argument text;
begin
  for v_row in
    select json_array_elements(p_expected)
  loop
    if not lock_version(p_merchant_id, v_row ->> 'table', v_row -> 'key', v_row ->> 'version') then
      raise exception 'changed: % %', v_row ->> 'table', v_row ->> 'key' using errcode = 'serialization_failure';
    end if;
  end loop;

  for v_call, v_argument in
    select step.call, step.argument
    from unnest(string_to_array(p_calls, ','), string_to_array(p_arguments, e'\n')) as step (call, argument)
  loop
    return next apply_step(p_merchant_id, v_call, v_argument::json);
  end loop;
end
$$;

-- Locks a row, if it has this version. Without a version, checks that there is no such row.
create function lock_version(p_merchant_id text, p_table text, p_key json, p_version text) returns boolean
language plpgsql as $$
declare
  v_version text;
begin
  -- xmin is the transaction that wrote this version of the row.
  case p_table
    -- Sales by the ids that registers chose.
    when 'register_sales' then
      select xmin into v_version from sales
      where merchant_id = p_merchant_id and kind = 'REGISTER' and device_id = p_key ->> 0 and register_sale_id = p_key ->> 1
      for no key update;
    else
      v_version := lock_row(p_merchant_id, p_table, p_key);
  end case;
  return v_version is not distinct from p_version;
end
$$;

-- Runs one step: calls the function with this name, with the members of p_step. A member that would be null is absent.
create function apply_step(p_merchant_id text, p_call text, p_step json) returns json
language plpgsql as $$
begin
  case p_call
    -- Due work
    when 'move_due_work' then
      perform move_due_work(
        p_merchant_id, p_step ->> 'kind', p_step ->> 'subject_id', (p_step ->> 'due_at')::timestamptz,
        (p_step ->> 'overdue_run_at')::timestamptz
      );
    when 'add_due_work' then
      perform add_due_work(p_merchant_id, array[p_step -> 'work']);
    when 'add_overdue_work' then
      perform add_overdue_work(p_merchant_id, p_step -> 'work');

    -- Settlements
    when 'close_day' then
      return to_json(close_day(
        p_merchant_id, p_step ->> 'location_id', (p_step ->> 'closed_at')::timestamptz, p_step ->> 'settlement_id',
        (p_step ->> 'visible_at')::timestamptz
      ));

    -- Reports
    when 'roll_up_days' then
      perform roll_up_days(p_merchant_id, (p_step ->> 'until')::timestamptz);
    when 'mark_late_day' then
      perform mark_late_day(p_merchant_id, p_step ->> 'location_id', (p_step ->> 'at')::timestamptz);

    -- Registers
    when 'end_forbidden_sessions' then
      perform end_forbidden_sessions(p_merchant_id, p_step, (p_step ->> 'at')::timestamptz);
    when 'delete_old_approvals' then
      perform delete_old_approvals(p_merchant_id, (p_step ->> 'before')::timestamptz);

    -- Payments
    when 'bring_back_sale' then
      perform bring_back_sale(p_merchant_id, p_step ->> 'payment_id');

    -- Personal data of buyers
    when 'delete_sale_copies' then
      perform delete_sale_copies(p_merchant_id, array(select json_array_elements_text(p_step -> 'sale_ids')));
    when 'delete_snapshot' then
      return to_json(delete_snapshot(p_merchant_id));

    -- Notifications
    when 'record_events' then
      if has_subscriptions(p_merchant_id) then
        perform record_events(p_merchant_id, published_changes(p_merchant_id, p_step));
      end if;

    -- Rows
    else
      perform write_row(p_merchant_id, p_call, p_step);
  end case;
  return null;
end
$$;
