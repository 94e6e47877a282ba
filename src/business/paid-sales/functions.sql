-- Copies of sales are kept here only.

-- Keeps copies of sales of a merchant. p_copies are rows of the table. Copies of rows that have changed meanwhile are left out, so that none
-- comes back after the data of its buyer is erased.
create function keep_sale_copies(p_merchant_id text, p_copies json)
returns void
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
begin
  -- While data is being erased, a statement would still see the rows from before. The number distinguishes the lock from others.
  if not pg_try_advisory_xact_lock_shared(hashtextextended(p_merchant_id, 199)) then
    return;
  end if;
  -- The commit does not wait for the disk: a copy that a crash loses is printed again.
  perform set_config('synchronous_commit', 'off', true);
  insert into sale_copies as copies (merchant_id, sale_id, version, stamp, v1_json)
  select p_merchant_id, given.sale_id, given.version, given.stamp, given.v1_json
  from json_populate_recordset(null::sale_copies, p_copies) as given
  join sales on sales.merchant_id = p_merchant_id and sales.sale_id = given.sale_id
  -- The stamp as in queries.ts.
  where given.stamp = (
    select sales.xmin::text || coalesce(string_agg(' ' || payments.xmin::text, '' order by payment_id), '')
    from payments
    where payments.merchant_id = p_merchant_id
      and payment_id = any (case kind when 'API' then array[sales.sale_id] else tender_ids end)
  )
  -- In one order, because requests that keep the same copies wait for each other.
  order by given.sale_id
  on conflict (merchant_id, sale_id) do update
  set version = excluded.version, stamp = excluded.stamp, v1_json = excluded.v1_json
  where copies.stamp <> excluded.stamp or copies.version <> excluded.version;
end
$$;

-- Deletes copies of sales. Until the end of the transaction none is kept.
create function delete_sale_copies(p_merchant_id text, p_sale_ids text[]) returns void
language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(p_merchant_id, 199));
  delete from sale_copies
  where merchant_id = p_merchant_id and sale_id = any (p_sale_ids);
end
$$;
