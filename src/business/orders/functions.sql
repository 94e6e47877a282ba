-- Orders are inserted and changed here only.

-- Places an order: p_order is its row, p_sale the row of its open sale, and p_work expires it. Returns false, and writes nothing, if its
-- client id is taken, also by a request that committed meanwhile.
create function place_order(p_merchant_id text, p_order json, p_sale json, p_work json) returns boolean
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_order orders := json_populate_record(null::orders, p_order);
begin
  -- First, because the order refers to it.
  if not open_sale(p_merchant_id, p_sale) then
    raise exception 'sales_pkey: the sale of the order exists already';
  end if;

  insert into orders (
    merchant_id, order_id, location_id, state, created_at, updated_at, expires_at, token_hash, client_id, request_hash, sale_id,
    currency, subtotal, shipping, tax, discount, total, buyer_email, recipient_name, recipient_phone_number, fulfillment,
    shipping_address, buyer_note, promo_code, tracking_number, completed_note, canceled_note, refunded_note, history
  )
  values (
    p_merchant_id, v_order.order_id, v_order.location_id, v_order.state, v_order.created_at, v_order.updated_at, v_order.expires_at,
    v_order.token_hash, v_order.client_id, v_order.request_hash, v_order.sale_id, v_order.currency, v_order.subtotal,
    v_order.shipping, v_order.tax, v_order.discount, v_order.total, v_order.buyer_email, v_order.recipient_name,
    v_order.recipient_phone_number, v_order.fulfillment, v_order.shipping_address, v_order.buyer_note, v_order.promo_code,
    v_order.tracking_number, v_order.completed_note, v_order.canceled_note, v_order.refunded_note, v_order.history
  )
  on conflict (merchant_id, location_id, client_id) do nothing;
  if not found then
    perform discard_sale(p_merchant_id, p_sale ->> 'sale_id');
    return false;
  end if;
  perform add_due_work(p_merchant_id, array[p_work]);
  return true;
end
$$;

-- p_from -> p_to, with an entry for the history. Deletes the work that would expire the order. p_notes has the texts of the order that the
-- action sets. Raises order_state if the order is not in p_from, which the caller has checked.
create function move_order(
  p_merchant_id text, p_order_id text, p_from text, p_to text, p_at timestamptz, p_entry jsonb, p_notes json
)
returns void
language plpgsql as $$
declare
  v_notes orders := json_populate_record(null::orders, p_notes);
begin
  update orders
  set
    state = p_to,
    updated_at = p_at,
    history = history || p_entry,
    tracking_number = coalesce(v_notes.tracking_number, tracking_number),
    completed_note = coalesce(v_notes.completed_note, completed_note),
    canceled_note = coalesce(v_notes.canceled_note, canceled_note),
    refunded_note = coalesce(v_notes.refunded_note, refunded_note)
  where merchant_id = p_merchant_id and order_id = p_order_id and state = p_from;
  if not found then
    raise exception 'order_state: the order is not %', p_from;
  end if;
  perform remove_due_work(p_merchant_id, 'EXPIRE_ORDER', p_order_id);
end
$$;

-- Gives the order a new version, although none of its columns changes: a payment of it is in flight from now on. A concurrent change that
-- found no payment, such as a cancellation, is then decided again.
create function mark_order_in_payment(p_merchant_id text, p_order_id text) returns void
language plpgsql as $$
begin
  update orders
  set state = state
  where merchant_id = p_merchant_id and order_id = p_order_id;
end
$$;
