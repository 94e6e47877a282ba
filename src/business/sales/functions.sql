-- Sales are inserted here only.

-- Opens a sale of a register or of an online order. p_sale is its row. Returns false if the register has already sent this sale.
create function open_sale(p_merchant_id text, p_sale json) returns boolean
language plpgsql as $$
declare
  v_sale sales := json_populate_record(null::sales, p_sale);
begin
  -- Values, because after an insert of selected rows a distributed database does not tell whether there was a conflict.
  insert into sales (
    merchant_id, sale_id, location_id, kind, state, created_at, device_id, device_name, employee_id, register_sale_id,
    request_hash, rung_up_at, due, paid, receipt, v1_receipt, v1_receipt_version, tender_ids, label
  )
  values (
    p_merchant_id, v_sale.sale_id, v_sale.location_id, v_sale.kind, v_sale.state, v_sale.created_at, v_sale.device_id,
    v_sale.device_name, v_sale.employee_id, v_sale.register_sale_id, v_sale.request_hash, v_sale.rung_up_at, v_sale.due,
    v_sale.paid, v_sale.receipt, v_sale.v1_receipt, v_sale.v1_receipt_version, v_sale.tender_ids, v_sale.label
  )
  on conflict do nothing;
  return found;
end
$$;

-- OPEN -> CANCELED. Does nothing if the sale is no longer OPEN.
create function cancel_open_sale(p_merchant_id text, p_sale_id text) returns void
language plpgsql as $$
begin
  update sales
  set state = 'CANCELED', open_lines = null
  where merchant_id = p_merchant_id and sale_id = p_sale_id and state = 'OPEN';
end
$$;

-- Keeps the lines of a sale that stays open.
create function keep_open_lines(p_merchant_id text, p_sale_id text, p_lines json) returns void
language plpgsql as $$
begin
  update sales
  set open_lines = p_lines
  where merchant_id = p_merchant_id and sale_id = p_sale_id and state = 'OPEN';
end
$$;

-- Replaces what an open sale sells. p_sale has its new columns. If its tenders pay the new total, the sale is complete (decision 0153). The
-- constraint sales_paid refuses a total below what is paid. Raises open_sale if the sale is not OPEN.
create function edit_open_sale(p_merchant_id text, p_sale json, p_at timestamptz) returns void
language plpgsql as $$
declare
  v_new sales := json_populate_record(null::sales, p_sale);
  v_sale sales;
begin
  update sales
  set
    due = v_new.due,
    receipt = v_new.receipt,
    v1_receipt = v_new.v1_receipt,
    v1_receipt_version = v_new.v1_receipt_version,
    label = v_new.label,
    open_lines = case when paid = v_new.due and tender_ids <> '{}' then null else v_new.open_lines end,
    state = case when paid = v_new.due and tender_ids <> '{}' then 'COMPLETED' else state end,
    keeps_own_id = case when paid = v_new.due and cardinality(tender_ids) = 1 then true end,
    created_at = case when paid = v_new.due and tender_ids <> '{}' then p_at else created_at end
  where merchant_id = p_merchant_id and sale_id = v_new.sale_id and state = 'OPEN'
  returning *
  into v_sale;
  if not found then
    raise exception 'open_sale: the sale is not open';
  end if;
  if v_sale.state = 'COMPLETED' then
    perform record_events(p_merchant_id, sale_changes(v_sale, p_at));
  end if;
end
$$;

-- Gives a sale a new version.
create function touch_sale(p_merchant_id text, p_sale_id text) returns void
language plpgsql as $$
begin
  update sales
  set state = state
  where merchant_id = p_merchant_id and sale_id = p_sale_id;
end
$$;

-- Keeps who took a tender for an open sale, edited or canceled it, and where. p_act has the columns.
create function note_sale_act(p_merchant_id text, p_act json) returns void
language plpgsql as $$
declare
  v_act sales := json_populate_record(null::sales, p_act);
begin
  update sales
  set
    last_device_id = v_act.last_device_id,
    last_device_name = v_act.last_device_name,
    last_employee_id = v_act.last_employee_id,
    last_act_at = v_act.last_act_at
  where merchant_id = p_merchant_id and sale_id = v_act.sale_id;
end
$$;

-- Deletes an open sale without tenders, because its order was not placed.
create function discard_sale(p_merchant_id text, p_sale_id text) returns void
language plpgsql as $$
begin
  delete from sales
  where merchant_id = p_merchant_id and sale_id = p_sale_id and state = 'OPEN' and tender_ids = '{}';
end
$$;

-- Records sales of the API. Such a sale has the id of its payment, and is complete at once.
create function record_api_sales(p_merchant_id text, p_sales api_sale[]) returns void
language plpgsql as $$
declare
  v_only api_sale;
begin
  -- A single row is inserted as values: see create_payments.
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

-- Adds a captured tender to its sale. The last tender completes the sale, and sets its time (contract 18). A sale that was canceled while
-- the tender was in flight gets the tender too, because the money was taken; the tender is refunded afterwards. The constraint
-- sales_paid refuses more than the sale is due. Raises sale_of_tender if there is no such sale.
create function add_tender_to_sale(
  p_merchant_id text, p_sale_id text, p_payment_id text, p_amount bigint, p_at timestamptz
)
returns void
language plpgsql as $$
declare
  v_sale sales;
begin
  update sales
  set
    tender_ids = tender_ids || p_payment_id,
    paid = paid + p_amount,
    state = case when state = 'OPEN' and paid + p_amount = due then 'COMPLETED' else state end,
    open_lines = case when paid + p_amount = due then null else open_lines end,
    created_at = case when paid + p_amount = due then p_at else coalesce(created_at, p_at) end
  where merchant_id = p_merchant_id and sale_id = p_sale_id
  returning *
  into v_sale;
  if not found then
    raise exception 'sale_of_tender: there is no sale for the tender';
  end if;
  perform record_events(p_merchant_id, sale_changes(v_sale, p_at));
end
$$;

-- OPEN -> COMPLETED, for a sale with a total of zero and without tenders (decision 0055). Raises free_sale for any other sale.
create function complete_free_sale(p_merchant_id text, p_sale_id text, p_at timestamptz) returns void
language plpgsql as $$
declare
  v_sale sales;
begin
  update sales
  set
    state = 'COMPLETED',
    open_lines = null,
    created_at = p_at
  where merchant_id = p_merchant_id and sale_id = p_sale_id and state = 'OPEN' and due = 0 and tender_ids = '{}'
  returning *
  into v_sale;
  if not found then
    raise exception 'free_sale: the sale is not open and free';
  end if;
  perform record_events(p_merchant_id, sale_changes(v_sale, p_at));
end
$$;

-- The v1 event of a sale that was paid, in part or as a whole.
create function sale_changes(p_sale sales, p_at timestamptz) returns event_change[]
language plpgsql stable as $$
begin
  return array[row(
    p_sale.location_id, null, 'PAYMENT_UPDATED',
    v1_id(p_sale.sale_id, p_sale.tender_ids, p_sale.paid, p_sale.due, p_sale.keeps_own_id), p_at, null
  )::event_change];
end
$$;
