-- Holds are inserted and changed here only.

-- Places a hold, with the movement that keeps the money back. Raises holdable_amount if the payment has less to hold, and hold_movement if
-- the movement has another amount.
create function place_hold(p_merchant_id text, p_hold json, p_movement json) returns void
language plpgsql as $$
declare
  v_hold holds := json_populate_record(null::holds, p_hold);
  v_movement movements := json_populate_record(null::movements, p_movement);
begin
  perform bring_back_sale(p_merchant_id, v_hold.payment_id);
  -- First, because a refund could return the money meanwhile. And a refund that was decided before this hold is decided again.
  if not renew_payment_version(p_merchant_id, v_hold.payment_id, v_hold.amount) then
    raise exception 'holdable_amount: the payment has less to hold';
  end if;
  if v_movement.amount + v_movement.fee <> -v_hold.amount then
    raise exception 'hold_movement: the movement does not keep the held amount back';
  end if;

  insert into holds (merchant_id, hold_id, payment_id, amount, placed_at)
  values (p_merchant_id, v_hold.hold_id, v_hold.payment_id, v_hold.amount, v_hold.placed_at);
  perform record_movements(p_merchant_id, array[p_movement]);
end
$$;

-- Raises an active hold to p_amount, with the movement that keeps the difference back: a refund has failed, so there is more to hold.
-- Raises holdable_amount if the payment has less to hold. If the hold was raised or released meanwhile, the change is refused with
-- serialization_failure, and the caller decides again.
create function raise_hold(p_merchant_id text, p_hold_id text, p_amount bigint, p_movement json) returns void
language plpgsql as $$
declare
  v_movement movements := json_populate_record(null::movements, p_movement);
begin
  -- First, because a refund could return the money meanwhile.
  if not renew_payment_version(p_merchant_id, v_movement.payment_id, p_amount) then
    raise exception 'holdable_amount: the payment has less to hold';
  end if;

  update holds
  set amount = p_amount
  where merchant_id = p_merchant_id and hold_id = p_hold_id and payment_id = v_movement.payment_id
    and released_at is null and amount = p_amount + v_movement.amount + v_movement.fee and amount < p_amount;
  if not found then
    raise exception 'active_hold: the hold has changed' using errcode = 'serialization_failure';
  end if;
  perform record_movements(p_merchant_id, array[p_movement]);
end
$$;

-- Active -> released, with the movement that returns the money. Returns false if the hold is already released. Raises hold_movement if
-- the movement has another amount.
create function release_hold(p_merchant_id text, p_hold_id text, p_at timestamptz, p_movement json) returns boolean
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_movement movements := json_populate_record(null::movements, p_movement);
  v_amount bigint;
begin
  update holds
  set released_at = p_at
  where merchant_id = p_merchant_id and hold_id = p_hold_id and released_at is null
  returning amount
  into v_amount;
  if not found then
    return false;
  end if;
  if v_movement.amount + v_movement.fee <> v_amount then
    raise exception 'hold_movement: the movement does not return the held amount';
  end if;

  perform record_movements(p_merchant_id, array[p_movement]);
  return true;
end
$$;
