-- Movements are inserted here only.

-- Records movements. Each is a row of the table; nulls are skipped.
create function record_movements(p_merchant_id text, p_movements json[]) returns void
language plpgsql as $$
declare
  v_base movements;
begin
  v_base.merchant_id := p_merchant_id;
  insert into movements
  select movement.*
  from unnest(p_movements) as given, json_populate_record(v_base, given) as movement
  where given is not null;
end
$$;
