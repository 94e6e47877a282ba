-- Finds credentials for retention and for the search of orphans. Both functions read one shard: p_merchant_id is a value of list_shards().

-- The merchants with credentials that expired before that time. Personal tokens, which belong to no authorization, are kept.
create function list_merchants_with_expired(p_merchant_id text, p_table text, p_before timestamptz) returns setof text
language plpgsql stable
set search_path from current
as $$
begin
  return query
  select list_merchants_with_rows_before(
    p_merchant_id, p_table, 'expires_at', p_before,
    case p_table when 'access_tokens' then 't.authorization_id is not null' else 'true' end
  );
end
$$;

-- The next p_limit credentials before a time, in the order of their age. p_hash and p_age are the columns with the hash and the time.
create function list_credentials_by_age(
  p_merchant_id text, p_table text, p_hash text, p_age text, p_after timestamptz, p_after_hash bytea, p_until timestamptz,
  p_limit integer
)
returns setof aged_credential
language plpgsql stable
set search_path from current
as $$
begin
  return query execute format('
    select merchant_id, %2$I, %3$I
    from %1$s
    where (%3$I, %2$I) > ($1, $2) and %3$I < $3
    order by %3$I, %2$I
    limit $4',
    shard_table(p_table, p_merchant_id), p_hash, p_age)
  using p_after, p_after_hash, p_until, p_limit;
end
$$;
