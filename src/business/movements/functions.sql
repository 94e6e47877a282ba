-- Movements are inserted and settled here only.

-- Records movements. Each is a row of the table; nulls are skipped.
create function record_movements(p_merchant_id text, p_movements json[]) returns void
language plpgsql as $$
declare
  v_base movements;
  v_only movements;
begin
  v_base.merchant_id := p_merchant_id;
  -- A single row is inserted as values, column by column: see create_payments.
  if cardinality(p_movements) = 1 and p_movements[1] is not null then
    v_only := json_populate_record(v_base, p_movements[1]);
    insert into movements
    values (
      v_only.merchant_id, v_only.movement_id, v_only.location_id, v_only.kind, v_only.payment_id, v_only.refund_id, v_only.currency,
      v_only.amount, v_only.fee, v_only.occurred_at, v_only.reason, v_only.settlement_id
    );
    return;
  end if;
  insert into movements
  select movement.*
  from unnest(p_movements) as given, json_populate_record(v_base, given) as movement
  where given is not null;
end
$$;

-- Records movements of several merchants. Each row names its merchant.
create function record_movements_of_merchants(p_movements json) returns void
language plpgsql as $$
begin
  insert into movements
  select *
  from json_populate_recordset(null::movements, p_movements);
end
$$;

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
