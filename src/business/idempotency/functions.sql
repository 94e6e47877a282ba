-- Idempotency keys are inserted here only (decision 0027).

-- Takes the keys of the items that have one. Returns the ids of the records whose keys were taken before, also by a request that
-- committed meanwhile. Keys are taken in the order of the items; callers sort them, because two callers with the same keys in
-- different orders would wait for each other.
create function take_keys(p_merchant_id text, p_items json[]) returns text[]
language plpgsql as $$
declare
  v_base idempotency_keys;
  v_keys idempotency_keys[];
  v_count integer;
begin
  v_base.merchant_id := p_merchant_id;
  v_keys := array(
    select json_populate_record(v_base, item -> 'key')
    from unnest(p_items) as item
    where item -> 'key' is not null
  );
  insert into idempotency_keys
  select *
  from unnest(v_keys)
  on conflict do nothing;
  get diagnostics v_count = row_count;
  if v_count = cardinality(v_keys) then
    return '{}';
  end if;

  return array(
    select wanted.made_id
    from unnest(v_keys) as wanted
    left join idempotency_keys as taken using (merchant_id, application_id, operation, key, made_id)
    where taken.made_id is null
  );
end
$$;

-- Releases a key, if it still belongs to the record.
create function release_key(p_merchant_id text, p_key json) returns void
language plpgsql as $$
declare
  v_key idempotency_keys := json_populate_record(null::idempotency_keys, p_key);
begin
  delete from idempotency_keys
  where merchant_id = p_merchant_id and application_id = v_key.application_id and operation = v_key.operation
    and key = v_key.key and made_id = v_key.made_id;
end
$$;
