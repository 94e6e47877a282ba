-- What is stored about a buyer, and its erasure (decision 0176). Rare work: payments are found without an index.

-- The orders of a buyer.
create function list_buyer_orders(p_merchant_id text, p_email text) returns setof orders
language plpgsql stable as $$
begin
  return query
  select *
  from orders
  where merchant_id = p_merchant_id and lower(buyer_email) = lower(p_email)
  order by order_id;
end
$$;

-- The payments of a buyer: those with the address, and those of the buyer's orders.
create function list_buyer_payments(p_merchant_id text, p_email text) returns setof payments
language plpgsql stable as $$
declare
  v_sale_ids text[] := array(select sale_id from list_buyer_orders(p_merchant_id, p_email));
begin
  return query
  select *
  from payments
  where merchant_id = p_merchant_id and source_type = 'CARD'
    and (lower(details ->> 'buyer_email_address') = lower(p_email) or sale_id = any (v_sale_ids))
  order by payment_id;
end
$$;

-- Everything that is stored about a buyer, in the words of the API.
create function export_buyer(p_merchant_id text, p_email text) returns json
language plpgsql stable
set search_path from current
as $$
begin
  return json_build_object(
    'orders', (
      select coalesce(json_agg(json_strip_nulls(json_build_object(
        'id', order_id,
        'state', state,
        'created_at', to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
        'total_money', json_build_object('amount', total, 'currency', currency),
        'buyer_email', buyer_email,
        'recipient_name', recipient_name,
        'recipient_phone_number', recipient_phone_number,
        'shipping_address', shipping_address,
        'buyer_note', buyer_note,
        'tracking_number', tracking_number,
        'completed_note', completed_note,
        'canceled_note', canceled_note,
        'refunded_note', refunded_note
      ))), '[]')
      from list_buyer_orders(p_merchant_id, p_email)
    ),
    'payments', (
      select coalesce(json_agg(print_payment(payment)::json), '[]')
      from list_buyer_payments(p_merchant_id, p_email) as payment
    )
  );
end
$$;

-- A document without some of its fields, printed like the others: without spaces.
create function without_fields(p_document json, p_fields text[]) returns json
language plpgsql immutable as $$
begin
  return (
    select '{' || coalesce(string_agg(to_json(key)::text || ':' || value::text, ',' order by place), '') || '}'
    from json_each(p_document) with ordinality as field (key, value, place)
    where key <> all (p_fields)
  );
end
$$;

-- Removes the personal data of a buyer from orders, payments, their copies and their events. Snapshots go, because a reset would bring it
-- back. Amounts, times, states and ids stay. Returns how many orders and payments had such data.
create function erase_buyer(p_merchant_id text, p_email text) returns json
language plpgsql
set search_path from current
as $$
declare
  v_fields text[] := array['buyer_email_address', 'billing_address', 'shipping_address', 'customer_id', 'note'];
  v_payment payments;
  v_payment_ids text[] := '{}';
  v_event_ids uuid[];
  v_orders integer;
begin
  for v_payment in
    select *
    from payments
    where merchant_id = p_merchant_id
      and payment_id = any (array(select payment_id from list_buyer_payments(p_merchant_id, p_email)))
    order by payment_id
    for update
  loop
    v_payment.details := without_fields(v_payment.details, v_fields);
    v_payment := with_v2_copy(v_payment);
    update payments
    set details = v_payment.details, v2_json = v_payment.v2_json, v2_json_version = v_payment.v2_json_version
    where merchant_id = p_merchant_id and payment_id = v_payment.payment_id;
    v_payment_ids := v_payment_ids || v_payment.payment_id;
  end loop;

  v_event_ids := array(
    select event_id
    from webhook_deliveries
    where merchant_id = p_merchant_id and entity_id = any (v_payment_ids)
  );
  update webhook_events
  set body = jsonb_set(body::jsonb, '{data,object,payment}', (body::jsonb #> '{data,object,payment}') - v_fields)::text
  where merchant_id = p_merchant_id and event_id = any (v_event_ids) and body::jsonb #> '{data,object,payment}' is not null;

  update orders
  set
    buyer_email = 'erased@example.invalid',
    recipient_name = 'Erased',
    recipient_phone_number = null,
    -- That of an order that was picked up is the address of the location.
    shipping_address = case fulfillment when 'PICKUP' then shipping_address else '{}' end,
    buyer_note = null,
    tracking_number = null,
    completed_note = null,
    canceled_note = null,
    refunded_note = null
  where merchant_id = p_merchant_id and lower(buyer_email) = lower(p_email);
  get diagnostics v_orders = row_count;

  delete from merchant_snapshots
  where merchant_id = p_merchant_id;
  return json_build_object('orders', v_orders, 'payments', cardinality(v_payment_ids));
end
$$;
