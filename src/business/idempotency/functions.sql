-- Takes the keys of payments, which share a statement (decision 0175). Changes take the keys of refunds as rows of their table (decision 0027).

-- Takes keys; null: none. Returns the ids of the records whose keys were taken before, also by a request that committed meanwhile. Keys
-- are taken in the order given; callers sort them, because two callers with the same keys in different orders would wait for each other.
create function take_keys(p_merchant_id text, p_keys json) returns text[]
language plpgsql as $$
declare
  v_base idempotency_keys;
  v_now timestamptz := date_trunc('milliseconds', clock_timestamp());
  v_application_ids text[];
  v_operations text[];
  v_keys text[];
  v_made_ids text[];
  -- The ids of the records whose keys this call has taken.
  v_own_ids text[];
  v_key idempotency_keys;
begin
  if p_keys is null then
    return '{}';
  end if;
  v_base.merchant_id := p_merchant_id;
  -- A single row is inserted as values: see printInsertAll in database/table-functions.ts.
  if json_array_length(p_keys) = 1 then
    v_key := json_populate_record(v_base, p_keys -> 0);
    insert into idempotency_keys (merchant_id, application_id, operation, key, request_hash, made_id, created_at)
    values (p_merchant_id, v_key.application_id, v_key.operation, v_key.key, v_key.request_hash, v_key.made_id, v_now)
    on conflict do nothing;
    return case when found then '{}' else array[v_key.made_id] end;
  end if;

  insert into idempotency_keys (merchant_id, application_id, operation, key, request_hash, made_id, created_at)
  select merchant_id, application_id, operation, key, request_hash, made_id, v_now
  from json_populate_recordset(v_base, p_keys)
  on conflict do nothing;

  -- Looks up which keys were taken: the number of inserted rows cannot tell, because a distributed database returns the number of given
  -- rows. The lookup uses lists, because a join with the given rows would read all keys of a merchant with many keys.
  select array_agg(distinct application_id), array_agg(distinct operation), array_agg(key), array_agg(made_id)
  into v_application_ids, v_operations, v_keys, v_made_ids
  from json_populate_recordset(v_base, p_keys);
  v_own_ids := array(
    select made_id
    from idempotency_keys
    where merchant_id = p_merchant_id and application_id = any (v_application_ids) and operation = any (v_operations)
      and key = any (v_keys) and made_id = any (v_made_ids)
  );
  return array(
    select made_id
    from unnest(v_made_ids) as made_id
    where made_id <> all (v_own_ids)
  );
end
$$;

-- Takes keys of several merchants, like take_keys. Each row names its merchant.
create function take_keys_of_merchants(p_keys json) returns text[]
language plpgsql as $$
declare
  v_id text;
  v_now timestamptz := date_trunc('milliseconds', clock_timestamp());
  -- The ids of the records whose keys this call has taken.
  v_own_ids text[] := '{}';
begin
  if p_keys is null then
    return '{}';
  end if;
  for v_id in
    insert into idempotency_keys (merchant_id, application_id, operation, key, request_hash, made_id, created_at)
    select merchant_id, application_id, operation, key, request_hash, made_id, v_now
    from json_populate_recordset(null::idempotency_keys, p_keys)
    on conflict do nothing
    returning made_id
  loop
    v_own_ids := v_own_ids || v_id;
  end loop;
  if cardinality(v_own_ids) = json_array_length(p_keys) then
    return '{}';
  end if;
  return array(
    select given ->> 'made_id'
    from json_array_elements(p_keys) as given
    where given ->> 'made_id' <> all (v_own_ids)
  );
end
$$;
