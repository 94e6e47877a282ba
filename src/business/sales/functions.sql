-- Sales are inserted here only.

-- Records sales of the API. Such a sale has the id of its payment, and is complete at once.
create function record_api_sales(p_merchant_id text, p_sales api_sale[]) returns void
language plpgsql as $$
declare
  v_only api_sale;
begin
  -- A single row is inserted as values: see printInsertAll in database/table-functions.ts.
  if cardinality(p_sales) = 1 then
    v_only := p_sales[1];
    insert into sales (merchant_id, sale_id, location_id, kind, state, created_at)
    values (p_merchant_id, v_only.sale_id, v_only.location_id, 'API', 'COMPLETED', v_only.captured_at);
    return;
  end if;
  insert into sales (merchant_id, sale_id, location_id, kind, state, created_at)
  select p_merchant_id, sale_id, location_id, 'API', 'COMPLETED', captured_at
  from unnest(p_sales);
end
$$;

-- Records the sales of several merchants.
create function record_api_sales_of_merchants(p_sales api_sale[]) returns void
language plpgsql as $$
begin
  insert into sales (merchant_id, sale_id, location_id, kind, state, created_at)
  select merchant_id, sale_id, location_id, 'API', 'COMPLETED', captured_at
  from unnest(p_sales);
end
$$;
