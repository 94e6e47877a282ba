-- Functions that belong to no other room.

-- A new UUID that is ordered by time like all others (decision 0014): the first 12 digits are the time in milliseconds, the rest is
-- random.
create function new_row_uuid(p_at timestamptz) returns uuid
language sql volatile parallel safe as $$
  select (
    overlay(lpad(to_hex((extract(epoch from p_at) * 1000)::bigint), 12, '0') placing '-' from 9 for 0)
    || '-7' || substr(gen_random_uuid()::text, 16)
  )::uuid
$$;

-- A number that grows with time, for the order of records: microseconds.
create function clock_microseconds() returns bigint
language sql volatile parallel safe as $$
  select (extract(epoch from clock_timestamp()) * 1000000)::bigint
$$;

-- For each shard of a distributed database, a value that is on it. Functions that read all merchants of a shard take it as p_merchant_id.
-- On a plain PostgreSQL, one empty value. Citus tells the shard of a value, but not the reverse, so many values are tried: the chance to
-- miss a shard is negligible.
create function list_shards() returns setof text
language plpgsql stable
set search_path from current
as $$
begin
  if not is_distributed() then
    return next '';
    return;
  end if;
  return query execute '
    select min(value)
    from
      generate_series(1, 64 * (select count(*)::integer from pg_dist_shard where logicalrelid = $1::regclass)) as n,
      lateral (select ''shard '' || n as value) as tried
    group by get_shard_id_for_distribution_column($1::regclass, value)'
  using 'merchants';
end
$$;

-- The name of the part of a table that is on the shard of a merchant. The table itself on a plain PostgreSQL. A query on the part
-- reads the rows of all merchants of that shard, and no other shard.
create function shard_table(p_table text, p_merchant_id text) returns text
language plpgsql stable as $$
declare
  v_shard_id bigint;
begin
  if not is_distributed() then
    return p_table;
  end if;
  execute 'select get_shard_id_for_distribution_column($1::regclass, $2)'
  into v_shard_id
  using p_table, p_merchant_id;
  return p_table || '_' || v_shard_id;
end
$$;

-- The merchants that have one of the p_limit oldest rows of a table before that time, on the shard of a value. p_time is the column with
-- the time, which has an index.
create function list_merchants_with_old_rows(
  p_merchant_id text, p_table text, p_time text, p_before timestamptz, p_limit integer
)
returns setof text
language plpgsql stable
set search_path from current
as $$
begin
  return query execute format('
    select distinct merchant_id
    from (select merchant_id from %1$s where %2$I < $1 order by %2$I limit $2) as oldest',
    shard_table(p_table, p_merchant_id), p_time)
  using p_before, p_limit;
end
$$;

-- The merchants of a shard that have rows of a table before a time. For large tables whose index by time is not by merchant, and where a
-- condition leaves out many rows.
create function list_merchants_with_rows_before(
  p_merchant_id text, p_table text, p_time text, p_before timestamptz, p_condition text default 'true'
)
returns setof text
language plpgsql stable
set search_path from current
as $$
begin
  return query execute format('
    select m.merchant_id
    from %s as m
    where exists (
      select from %s as t
      where t.merchant_id = m.merchant_id and t.%I < $1 and %s
    )',
    shard_table('merchants', p_merchant_id), shard_table(p_table, p_merchant_id), p_time, p_condition)
  using p_before;
end
$$;

-- Whether the tables are distributed. Citus may be installed in a database whose tables are not.
create function is_distributed() returns boolean
language plpgsql stable as $$
declare
  v_found boolean;
begin
  if to_regclass('pg_catalog.pg_dist_partition') is null then
    return false;
  end if;
  execute 'select exists (select from pg_dist_partition where logicalrelid = $1::regclass)'
  into v_found
  using 'merchants';
  return v_found;
end
$$;

-- The columns of a table that can be written, as a part of a statement.
create function list_columns(p_table text) returns text
language plpgsql stable as $$
begin
  return (
    select string_agg(quote_ident(attname), ', ' order by attnum)
    from pg_attribute
    where attrelid = p_table::regclass and attnum > 0 and not attisdropped and attgenerated = ''
  );
end
$$;
