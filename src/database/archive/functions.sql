-- Rows are moved between the tables in use and the archive here only (decision 0253). The archive is created when it is first needed, so its
-- tables are named in dynamic statements.

-- Moves all that belongs to sales to the archive, or back. A payment without a sale counts as a sale with its sale_id. The caller has locked
-- the sales and payments. If something is added meanwhile, raises serialization_failure, and nothing moves.
create function move_sales(p_merchant_id text, p_sale_ids text[], p_from text, p_to text) returns void
language plpgsql as $$
declare
  -- In the order of the foreign keys.
  v_tables constant text[] := '{sales, payments, processor_references, movements, refunds, holds, orders}';
  v_keys constant text[] := '{sale_id, payment_id, payment_id, payment_id, payment_id, payment_id, sale_id}';
  v_payment_ids text[];
  v_columns text;
  v_inserted bigint[];
  v_count bigint;
begin
  execute format('
    select array(
      select payment_id
      from only payments%s
      where merchant_id = $1 and (
        channel = ''API'' and payment_id = any ($2)
        or channel = ''REGISTER'' and sale_id = any ($2)
        or channel = ''ONLINE_STORE'' and sale_id = any ($2)
      )
    )', p_from)
  into v_payment_ids
  using p_merchant_id, p_sale_ids;

  for v_place in 1 .. cardinality(v_tables) loop
    v_columns := list_columns(v_tables[v_place]);
    execute format(
      'insert into %1$s%3$s (%4$s) select %4$s from only %1$s%2$s where merchant_id = $1 and %5$I = any ($2)',
      v_tables[v_place], p_from, p_to, v_columns, v_keys[v_place]
    )
    using p_merchant_id, case v_keys[v_place] when 'sale_id' then p_sale_ids else v_payment_ids end;
    get diagnostics v_count = row_count;
    v_inserted[v_place] := v_count;
  end loop;

  for v_place in reverse cardinality(v_tables) .. 1 loop
    execute format(
      'delete from only %1$s%2$s where merchant_id = $1 and %3$I = any ($2)', v_tables[v_place], p_from, v_keys[v_place]
    )
    using p_merchant_id, case v_keys[v_place] when 'sale_id' then p_sale_ids else v_payment_ids end;
    get diagnostics v_count = row_count;
    if v_count <> v_inserted[v_place] then
      raise exception 'moved_rows: % changed', v_tables[v_place] using errcode = 'serialization_failure';
    end if;
  end loop;
end
$$;

-- Moves sales, and payments without a sale, to the archive. The caller has locked them, and has made sure that they are finished.
create function archive_sales(p_merchant_id text, p_sale_ids text[]) returns void
language plpgsql
set search_path from current
as $$
begin
  perform move_sales(p_merchant_id, p_sale_ids, '', '_archive');
  -- The copies name versions of rows, and a row that was moved has another one.
  delete from sale_copies
  where merchant_id = p_merchant_id and sale_id = any (p_sale_ids);
end
$$;

-- Moves the sale of a payment back, if it is in the archive, and locks the payment. Whatever adds records to a payment calls this first:
-- foreign keys see the tables in use only, and a sale is always in one place as a whole.
create function bring_back_sale(p_merchant_id text, p_payment_id text) returns void
language plpgsql as $$
declare
  v_sale_id text;
begin
  if p_payment_id is null or to_regclass('payments_archive') is null then
    return;
  end if;
  -- Waits for an archiving that moves it now.
  perform
  from only payments
  where merchant_id = p_merchant_id and payment_id = p_payment_id
  for no key update;
  if found then
    return;
  end if;

  execute 'select sale_id from payments_archive where merchant_id = $1 and payment_id = $2'
  into v_sale_id
  using p_merchant_id, p_payment_id;
  -- Two that bring back one sale take turns. The second one finds nothing to move.
  execute '
    select
    from payments_archive
    where merchant_id = $1 and (payment_id = $2 or channel <> ''API'' and sale_id = $2)
    order by payment_id
    for update'
  using p_merchant_id, v_sale_id;
  perform move_sales(p_merchant_id, array[v_sale_id], '_archive', '');
end
$$;
