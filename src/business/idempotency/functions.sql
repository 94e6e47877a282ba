-- Idempotency keys are inserted here only (decision 0027).

-- Takes keys; null: none. Returns the ids of the records whose keys were taken before, also by a request that committed meanwhile. Keys
-- are taken in the order given; callers sort them, because two callers with the same keys in different orders would wait for each other.
create function take_keys(p_merchant_id text, p_keys json) returns text[]
language plpgsql as $$
declare
  v_base idempotency_keys;
  v_count integer;
begin
  if p_keys is null then
    return '{}';
  end if;
  v_base.merchant_id := p_merchant_id;
  insert into idempotency_keys
  select *
  from json_populate_recordset(v_base, p_keys)
  on conflict do nothing;
  get diagnostics v_count = row_count;
  if v_count = json_array_length(p_keys) then
    return '{}';
  end if;

  return array(
    select wanted.made_id
    from json_populate_recordset(v_base, p_keys) as wanted
    left join idempotency_keys as taken using (merchant_id, application_id, operation, key, made_id)
    where taken.made_id is null
  );
end
$$;

-- Takes the key of a change. Raises a unique violation if it is taken, also by a request that committed meanwhile.
create function take_key(p_merchant_id text, p_key json) returns void
language plpgsql as $$
declare
  v_key idempotency_keys := json_populate_record(null::idempotency_keys, p_key);
begin
  v_key.merchant_id := p_merchant_id;
  insert into idempotency_keys
  values (v_key.*);
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
