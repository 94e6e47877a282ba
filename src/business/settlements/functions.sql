-- Settlements and adjustments are inserted and changed here only.

-- Closes the day of a location: its unsettled movements become one settlement to the active bank account. Without an active account, or
-- with a total of zero, they stay unsettled. Returns whether there is a settlement. Raises close_due if no close is due at that time.
create function close_day(
  p_merchant_id text, p_location_id text, p_closed_at timestamptz, p_settlement_id text, p_visible_at timestamptz
)
returns boolean
language plpgsql as $$
declare
  v_account record;
  v_total bigint;
begin
  -- First, because a second close of the location waits here, and finds that the due work has moved on.
  perform
  from due_work
  where merchant_id = p_merchant_id and kind = 'CLOSE_DAY' and subject_id = p_location_id and due_at = p_closed_at
  for update;
  if not found then
    raise exception 'close_due: no close is due at this time';
  end if;

  select bank_account_id, currency
  into v_account
  from bank_accounts
  where merchant_id = p_merchant_id and in_force;
  if not found then
    return false;
  end if;

  v_total := settle_movements(p_merchant_id, p_location_id, p_closed_at, p_settlement_id);
  if v_total = 0 then
    return false;
  end if;
  insert into settlements (
    merchant_id, settlement_id, location_id, bank_account_id, status, currency, total, initiated_at, visible_at
  )
  values (
    p_merchant_id, p_settlement_id, p_location_id, v_account.bank_account_id, 'SENT', v_account.currency, v_total,
    p_closed_at, p_visible_at
  );
  return true;
end
$$;

-- SENT -> FAILED, with the movement that returns the money. Returns false if the settlement is not SENT. Raises returned_payout if the
-- movement has another amount.
create function fail_settlement(p_merchant_id text, p_settlement_id text, p_returned json) returns boolean
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_returned movements := json_populate_record(null::movements, p_returned);
  v_total bigint;
begin
  update settlements
  set status = 'FAILED', failed_at = v_returned.occurred_at, returned_movement_id = v_returned.movement_id
  where merchant_id = p_merchant_id and settlement_id = p_settlement_id and status = 'SENT'
  returning total
  into v_total;
  if not found then
    return false;
  end if;
  if v_returned.amount + v_returned.fee <> v_total then
    raise exception 'returned_payout: the movement does not return the total';
  end if;

  perform record_movements(p_merchant_id, array[p_returned]);
  return true;
end
$$;

-- Records an adjustment: a movement with its author and idempotency key. Returns false if the key was used before, also by a concurrent
-- request, or if the location does not exist.
create function record_adjustment(p_merchant_id text, p_made_by text, p_key text, p_movement json) returns boolean
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
begin
  perform
  from locations
  where merchant_id = p_merchant_id and location_id = p_movement ->> 'location_id';
  if not found then
    return false;
  end if;

  -- The key refers to the movement, so the movement comes first, and is undone if the key is taken.
  perform record_movements(p_merchant_id, array[p_movement]);
  insert into adjustments (merchant_id, adjustment_id, made_by, idempotency_key)
  values (p_merchant_id, p_movement ->> 'movement_id', p_made_by, p_key);
  return true;
exception
  when unique_violation then
    return false;
end
$$;
