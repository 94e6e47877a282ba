-- Movements are settled here only.

-- Assigns the unsettled movements of a location that occurred before a time to a settlement, and returns their total. With a total of
-- zero they stay unsettled. The caller has made sure that nobody else settles movements of the location.
create function settle_movements(
  p_merchant_id text, p_location_id text, p_before timestamptz, p_settlement_id text
)
returns bigint
language plpgsql as $$
declare
  v_net bigint;
  v_total bigint := 0;
begin
  -- Adds up what it marks. A movement that commits meanwhile is neither marked nor in the total.
  for v_net in
    update movements
    set settlement_id = p_settlement_id
    where merchant_id = p_merchant_id and location_id = p_location_id
      and settlement_id is null and occurred_at < p_before
    returning amount + fee
  loop
    v_total := v_total + v_net;
  end loop;

  if v_total = 0 then
    update movements
    set settlement_id = null
    where merchant_id = p_merchant_id and settlement_id = p_settlement_id;
  end if;
  return v_total;
end
$$;
