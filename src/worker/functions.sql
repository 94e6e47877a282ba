-- What is due, for one merchant and for all merchants of a shard; and the deletion of old keys, except of those that something due needs.

-- When the next work of each kind can be done, in real time. Deliveries have a row for each subscription.
create function find_due(p_merchant_id text) returns setof due_subject
language plpgsql stable
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
begin
  return query
  select 'DUE_WORK', null::text, next_run_at(p_merchant_id);
  return query
  select 'CALL', null::text, next_retry_at(p_merchant_id);
  return query
  select 'DELIVERY', subscription_id, due_at
  from list_waiting_receivers(p_merchant_id);
end
$$;

-- The merchants with anything that is due until a time, on the shard of a value, and when. Reads the p_limit oldest rows of each kind, and
-- of each subscription, so that the backlog of one does not hide the others.
create function list_due_merchants(p_merchant_id text, p_until timestamptz, p_limit integer) returns setof due_merchant
language plpgsql stable
set search_path from current
as $$
begin
  return query execute format('
    select merchant_id, min(due_at)
    from (
      (select merchant_id, run_at as due_at from %1$s where run_at <= $1 order by run_at limit $2)
      union all
      (select merchant_id, retry_at from %2$s where retry_at <= $1 order by retry_at limit $2)
      union all
      select d.merchant_id, d.due_at
      from %3$s as s
      cross join lateral (
        select merchant_id, greatest(run_at, leased_until) as due_at
        from %4$s
        where subscription_id = s.subscription_id and run_at <= $1
        order by run_at
        limit $2
      ) as d
      where s.enabled and d.due_at <= $1
    ) as due
    group by merchant_id',
    shard_table('due_work', p_merchant_id), shard_table('processor_calls', p_merchant_id),
    shard_table('webhook_subscriptions', p_merchant_id), shard_table('webhook_deliveries', p_merchant_id))
  using p_until, p_limit;
end
$$;

-- Deletes about p_limit of the oldest idempotency keys of a merchant before that time, and returns how many. Keeps those of payments and
-- refunds that have not ended: a retry must not make a second one while the first is under way.
create function delete_old_keys(p_merchant_id text, p_before timestamptz, p_limit integer) returns integer
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_open_ids text[];
  v_until timestamptz;
  v_count integer;
begin
  select array_agg(payment_id) into v_open_ids from processor_calls where merchant_id = p_merchant_id;
  v_open_ids := coalesce(v_open_ids, '{}');
  -- Finds the time of the newest key to delete. The keys are deleted by this time, because their rows have no short key.
  select max(created_at), count(*)
  into v_until, v_count
  from (
    select k.created_at
    from idempotency_keys k
    where k.merchant_id = p_merchant_id and k.created_at < p_before and k.made_id <> all (v_open_ids)
      and not exists (select 1 from due_work d where d.merchant_id = p_merchant_id and d.subject_id = k.made_id)
    order by k.created_at
    limit p_limit
  ) as oldest;
  delete from idempotency_keys k
  where k.merchant_id = p_merchant_id and k.created_at <= v_until and k.made_id <> all (v_open_ids)
    and not exists (select 1 from due_work d where d.merchant_id = p_merchant_id and d.subject_id = k.made_id);
  return v_count;
end
$$;
