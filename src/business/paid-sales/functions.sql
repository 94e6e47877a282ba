-- Copies of sales are kept here only.

-- Keeps copies of sales of a merchant. p_copies are rows of the table. A copy is left out if the rows of its sale have changed meanwhile,
-- so that erased data of a buyer never comes back.
create function keep_sale_copies(p_merchant_id text, p_copies json)
returns void
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
begin
  -- While data is being erased, this statement would still see the old rows. The number 199 distinguishes this lock from others.
  if not pg_try_advisory_xact_lock_shared(hashtextextended(p_merchant_id, 199)) then
    return;
  end if;
  -- The commit does not wait for the disk: a copy that a crash loses is printed again.
  perform set_config('synchronous_commit', 'off', true);
  insert into sale_copies as copies (merchant_id, sale_id, version, printer, stamp, v1_json)
  select p_merchant_id, given.sale_id, given.version, given.printer, given.stamp, given.v1_json
  from json_populate_recordset(null::sale_copies, p_copies) as given
  join sales on sales.merchant_id = p_merchant_id and sales.sale_id = given.sale_id
  -- The stamp as in queries.ts.
  where given.stamp = (
    select sales.xmin::text || coalesce(string_agg(' ' || payments.xmin::text, '' order by payment_id), '')
    from payments
    where payments.merchant_id = p_merchant_id
      and payment_id = any (case kind when 'API' then array[sales.sale_id] else tender_ids end)
  )
  -- In a fixed order, to avoid deadlocks between requests that keep the same copies.
  order by given.sale_id
  on conflict (merchant_id, sale_id) do update
  set version = excluded.version, printer = excluded.printer, stamp = excluded.stamp, v1_json = excluded.v1_json
  where copies.stamp <> excluded.stamp or copies.version <> excluded.version or copies.printer is distinct from excluded.printer;
end
$$;

-- Deletes copies of sales. No copy of the merchant is kept until the transaction ends.
create function delete_sale_copies(p_merchant_id text, p_sale_ids text[]) returns void
language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(p_merchant_id, 199));
  delete from sale_copies
  where merchant_id = p_merchant_id and sale_id = any (p_sale_ids);
end
$$;
