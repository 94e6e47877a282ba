-- Settlements are inserted here only.

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
