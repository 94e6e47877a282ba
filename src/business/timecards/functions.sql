-- Timecards and their events are inserted and changed here only.

-- Creates a card with its first event. The caller depends on the employee, who may work at the locations of the card.
create function create_timecard(p_merchant_id text, p_card json, p_event json) returns void
language plpgsql as $$
declare
  v_card timecards := json_populate_record(null::timecards, p_card);
begin
  v_card.merchant_id := p_merchant_id;
  insert into timecards (
    merchant_id, timecard_id, employee_id, clockin_at, clockout_at, clockin_location_id, clockout_location_id, deleted, created_at,
    updated_at
  )
  values (
    p_merchant_id, v_card.timecard_id, v_card.employee_id, v_card.clockin_at, v_card.clockout_at, v_card.clockin_location_id,
    v_card.clockout_location_id, v_card.deleted, v_card.created_at, v_card.updated_at
  );
  perform record_timecard_event(v_card, p_event);
  -- Only a clock-in at a register notifies applications (contract 24.1).
  if p_event ->> 'kind' = 'REGISTER_CLOCKIN' then
    perform record_events(p_merchant_id, array[row(
      v_card.clockin_location_id, null, 'TIMECARD_UPDATED', v_card.timecard_id, v_card.updated_at, null
    )::event_change]);
  end if;
end
$$;

-- Saves the times and locations of a card, with an event. The caller depends on the version of the card.
create function save_timecard(p_merchant_id text, p_card json, p_event json) returns void
language plpgsql as $$
declare
  v_card timecards := json_populate_record(null::timecards, p_card);
begin
  update timecards
  set
    clockin_at = v_card.clockin_at,
    clockout_at = v_card.clockout_at,
    clockin_location_id = v_card.clockin_location_id,
    clockout_location_id = v_card.clockout_location_id,
    updated_at = v_card.updated_at
  where merchant_id = p_merchant_id and timecard_id = v_card.timecard_id and not deleted
  returning *
  into v_card;
  if not found then
    raise exception 'existing_timecard: the timecard is deleted';
  end if;
  perform record_timecard_event(v_card, p_event);
end
$$;

-- Marks a card as deleted, with an event, unless it already is. Returns false if there is no such card.
create function delete_timecard(p_merchant_id text, p_timecard_id uuid, p_at timestamptz, p_event json) returns boolean
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_card timecards;
begin
  update timecards
  set
    deleted = true,
    updated_at = greatest(updated_at, p_at)
  where merchant_id = p_merchant_id and timecard_id = p_timecard_id and not deleted
  returning *
  into v_card;
  if found then
    perform record_timecard_event(v_card, p_event);
    return true;
  end if;
  return exists (select from timecards where merchant_id = p_merchant_id and timecard_id = p_timecard_id);
end
$$;

-- Records an event with the times of the card after it. p_event has its event_id and kind.
create function record_timecard_event(p_card timecards, p_event json) returns void
language plpgsql as $$
begin
  insert into timecard_events (merchant_id, timecard_id, event_id, kind, clockin_at, clockout_at, created_at)
  select
    p_card.merchant_id, p_card.timecard_id, event.event_id, event.kind, p_card.clockin_at, p_card.clockout_at, p_card.updated_at
  from json_populate_record(null::timecard_events, p_event) as event;
end
$$;
