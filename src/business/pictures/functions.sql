-- The retention of pictures that nothing uses (decision 0145).

-- Merchants of a shard with unused pictures that were uploaded before that time, at most p_limit. p_merchant_id is any value on the shard.
create function list_merchants_with_old_pictures(p_merchant_id text, p_before timestamptz, p_limit integer) returns setof text
language plpgsql stable
set search_path from current
as $$
begin
  return query execute format('
    select distinct p.merchant_id
    from %s p
    where p.uploaded_at < $1 and not exists (
      select 1 from %s u where u.merchant_id = p.merchant_id and u.picture_id = p.picture_id
    )
    limit $2',
    shard_table('pictures', p_merchant_id), shard_table('picture_uses', p_merchant_id))
  using p_before, p_limit;
end
$$;

-- Deletes pictures that were uploaded before that time and that nothing uses, at most p_limit. Returns how many.
create function delete_unused_pictures(p_merchant_id text, p_before timestamptz, p_limit integer) returns integer
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  -- Locked first: a concurrent statement that uses a picture waits for the lock, or is seen below.
  v_ids text[] := array(
    select p.picture_id
    from pictures p
    where p.merchant_id = p_merchant_id and p.uploaded_at < p_before and not exists (
      select 1 from picture_uses u where u.merchant_id = p_merchant_id and u.picture_id = p.picture_id
    )
    limit p_limit
    for update skip locked
  );
begin
  delete from pictures
  where merchant_id = p_merchant_id and picture_id = any (v_ids) and uploaded_at < p_before and not exists (
    select 1 from picture_uses u where u.merchant_id = p_merchant_id and u.picture_id = pictures.picture_id
  );
  return cardinality(v_ids);
end
$$;
