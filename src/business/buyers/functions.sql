-- What is stored about a buyer, and its erasure (decisions 0176 and 0227). Rare work: payments are found without an index.

-- The orders of a buyer.
create function list_buyer_orders(p_merchant_id text, p_email text) returns setof orders
language plpgsql stable as $$
begin
  return query
  select *
  from orders
  where merchant_id = p_merchant_id and lower(buyer_email) = lower(p_email)
  order by created_at, order_id;
end
$$;

-- The payments of a buyer: those with the email address, and those of the given sales, which belong to the buyer's orders.
create function list_buyer_payments(p_merchant_id text, p_email text, p_sale_ids text[]) returns setof payments
language plpgsql stable as $$
begin
  return query
  select *
  from payments
  where merchant_id = p_merchant_id and source_type = 'CARD'
    and (lower(details ->> 'buyer_email_address') = lower(p_email) or sale_id = any (p_sale_ids))
  order by created_at, payment_id;
end
$$;

-- The ids of the refunds that were written for payments of a buyer: also those of later sales that returned goods of the buyer paid for,
-- and the other refunds of the same act, because an act has one reason.
create function list_buyer_refund_ids(p_merchant_id text, p_payment_ids text[]) returns text[]
language plpgsql stable as $$
declare
  v_act_ids text[] := array(
    select coalesce(leader_id, refund_id)
    from refunds
    where merchant_id = p_merchant_id and (payment_id = any (p_payment_ids) or returned_to = any (p_payment_ids))
  );
begin
  return array(
    select refund_id
    from refunds
    where merchant_id = p_merchant_id and (refund_id = any (v_act_ids) or leader_id = any (v_act_ids))
  );
end
$$;

-- The orders of a buyer with the field names of the API, and the ids of the payments and refunds. The lists are read first: a distributed
-- database refuses a statement on tables that also calls a function which reads tables.
create function export_buyer(p_merchant_id text, p_email text) returns json
language plpgsql stable
set search_path from current
as $$
declare
  v_orders orders[] := array(select bought from list_buyer_orders(p_merchant_id, p_email) as bought);
  v_sale_ids text[] := array(select sale_id from unnest(v_orders));
  v_payments payments[] := array(
    select payment
    from list_buyer_payments(p_merchant_id, p_email, v_sale_ids) as payment
  );
  v_payment_ids text[] := array(select payment_id from unnest(v_payments));
  v_refund_ids text[] := list_buyer_refund_ids(p_merchant_id, v_payment_ids);
begin
  return json_build_object(
    'orders', (
      select coalesce(json_agg(json_strip_nulls(json_build_object(
        'id', order_id,
        'state', state,
        'created_at', to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
        'total_money', json_build_object('amount', total, 'currency', currency),
        'line_items', (
          select json_agg(json_build_object(
            'name', item ->> 'name',
            'quantity', trim_scale((item ->> 'quantity')::numeric / 100000)::text,
            'total_money', json_build_object('amount', item -> 'total', 'currency', currency)
          ))
          from sales as sale, json_array_elements(sale.receipt -> 'items') as item
          where sale.merchant_id = p_merchant_id and sale.sale_id = bought.sale_id
        ),
        'promo_code', promo_code,
        'fulfillment', fulfillment,
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
      from unnest(v_orders) as bought
    ),
    'paymentIds', v_payment_ids,
    'refundIds', v_refund_ids
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

-- The fields of a payment in which an application may have written about the buyer. An order_id stays: it leads from the books to the order.
create function buyer_fields() returns text[]
language sql immutable parallel safe as $$
  select array[
    'buyer_email_address', 'billing_address', 'shipping_address', 'customer_id', 'note', 'reference_id',
    'statement_description_identifier'
  ]
$$;

-- The details of a card, whose text on the card statement loses what an application has added. The name of the business stays.
create function without_statement_identifier(p_card_details json, p_identifier text) returns json
language plpgsql immutable as $$
declare
  v_added text := ' ' || p_identifier;
  v_text text := p_card_details ->> 'statement_description';
begin
  if p_identifier is null or right(v_text, length(v_added)) is distinct from v_added then
    return p_card_details;
  end if;
  return (
    select '{' || string_agg(
      to_json(key)::text || ':' || case key
        when 'statement_description' then to_json(left(v_text, -length(v_added)))::text
        else value::text
      end,
      ',' order by place
    ) || '}'
    from json_each(p_card_details) with ordinality as field (key, value, place)
  );
end
$$;

-- The body of an event without what it says about the buyer: in its payment, or as the reason of its refund.
create function event_without_buyer(p_body jsonb) returns jsonb
language plpgsql immutable as $$
declare
  v_payment jsonb := p_body #> '{data,object,payment}';
begin
  if v_payment is null then
    return p_body #- '{data,object,refund,reason}';
  end if;
  return jsonb_set(
    p_body,
    '{data,object,payment}',
    (v_payment || jsonb_build_object(
      'card_details',
      without_statement_identifier(
        (v_payment -> 'card_details')::json, v_payment ->> 'statement_description_identifier'
      )::jsonb
    )) - buyer_fields()
  );
end
$$;

-- Removes the reasons from the responses to writes of registers that made these refunds, and notes in each that it was erased. A retry gets
-- what is left, and makes no other refund.
create function erase_register_responses(p_merchant_id text, p_refund_ids text[]) returns void
language plpgsql as $$
declare
  v_device_ids text[] := array(
    select distinct device_id
    from refunds
    where merchant_id = p_merchant_id and refund_id = any (p_refund_ids) and device_id is not null
  );
  -- A list of refunds with one of them contains one of these.
  v_lists jsonb[] := array(select jsonb_build_array(jsonb_build_object('id', id)) from unnest(p_refund_ids) as id);
begin
  update register_writes
  set response = response_without_reasons(response)
  where merchant_id = p_merchant_id and device_id = any (v_device_ids) and response -> 'refunds' @> any (v_lists);
end
$$;

create function response_without_reasons(p_response jsonb) returns jsonb
language plpgsql immutable as $$
begin
  return p_response || jsonb_build_object(
    'erased', true,
    'refunds', (
      select jsonb_agg(refund - 'reason' order by place)
      from jsonb_array_elements(p_response -> 'refunds') with ordinality as given (refund, place)
    )
  );
end
$$;

-- Removes the personal data of a buyer from orders, payments, refunds, their copies and their events, and from responses to registers.
-- Deletes the snapshot of the merchant, because a reset to it would bring the data back. Amounts, times, states and ids stay. Returns how
-- many orders and payments had such data, and whether there was a snapshot. If orders of the buyer are unfinished, nothing is erased, and
-- their ids are returned instead. An order that is placed meanwhile stays as it is.
create function erase_buyer(p_merchant_id text, p_email text) returns json
language plpgsql
set search_path from current
as $$
declare
  -- Read once: an order that is finished never opens again.
  v_orders orders[] := array(select bought from list_buyer_orders(p_merchant_id, p_email) as bought);
  v_unfinished text[] := array(select order_id from unnest(v_orders) where state in ('PENDING', 'OPEN'));
  v_sale_ids text[] := array(select sale_id from unnest(v_orders));
  v_order_ids text[] := array(select order_id from unnest(v_orders));
  v_payment payments;
  v_payment_ids text[] := array(select payment_id from list_buyer_payments(p_merchant_id, p_email, v_sale_ids));
  v_refund_ids text[];
  v_refunded_ids text[];
  v_event_ids uuid[];
  v_had_snapshot boolean := false;
begin
  if cardinality(v_unfinished) > 0 then
    return json_build_object('unfinished', v_unfinished);
  end if;

  for v_payment in
    select *
    from payments
    where merchant_id = p_merchant_id and payment_id = any (v_payment_ids)
    order by payment_id
    for update
  loop
    v_payment.card_details := without_statement_identifier(
      v_payment.card_details, v_payment.details ->> 'statement_description_identifier'
    );
    v_payment.details := without_fields(v_payment.details, buyer_fields());
    update payments
    set
      details = v_payment.details,
      card_details = v_payment.card_details,
      -- Printed when it is read, until it is renewed.
      v2_json = null,
      v2_json_version = null,
      v2_json_printer = null
    where merchant_id = p_merchant_id and payment_id = v_payment.payment_id;
  end loop;

  update payment_copies
  set renewed_up_to = ''
  where merchant_id = p_merchant_id;

  -- The reason of a refund can be the note of an order. Read after the payments are locked: a refund needs that lock.
  v_refund_ids := list_buyer_refund_ids(p_merchant_id, v_payment_ids);
  update refunds
  set reason = null
  where merchant_id = p_merchant_id and refund_id = any (v_refund_ids);
  perform erase_register_responses(p_merchant_id, v_refund_ids);

  v_refunded_ids := array(
    select payment_id
    from refunds
    where merchant_id = p_merchant_id and refund_id = any (v_refund_ids)
  );
  perform delete_sale_copies(
    p_merchant_id,
    array(
      select sale_id
      from payments
      where merchant_id = p_merchant_id and payment_id = any (v_payment_ids || v_refunded_ids)
    )
  );

  v_event_ids := array(
    select event_id
    from webhook_deliveries
    where merchant_id = p_merchant_id and entity_id = any (v_payment_ids || v_refund_ids)
  );
  update webhook_events
  set body = event_without_buyer(body::jsonb)::text
  where merchant_id = p_merchant_id and event_id = any (v_event_ids)
    and (body::jsonb #> '{data,object,payment}' ?| buyer_fields() or body::jsonb #> '{data,object,refund}' ? 'reason');

  update orders
  set
    buyer_email = 'erased@example.invalid',
    recipient_name = 'Erased',
    recipient_phone_number = null,
    -- The address of a pick-up is that of the location, not of the buyer.
    shipping_address = case when fulfillment = 'PICKUP' then shipping_address else '{}' end,
    buyer_note = null,
    tracking_number = null,
    completed_note = null,
    canceled_note = null,
    refunded_note = null
  where merchant_id = p_merchant_id and order_id = any (v_order_ids);

  -- If nothing was found, the email address may be mistyped, so the snapshot is kept.
  if cardinality(v_orders) > 0 or cardinality(v_payment_ids) > 0 then
    delete from merchant_snapshots
    where merchant_id = p_merchant_id;
    v_had_snapshot := found;
  end if;
  return json_build_object(
    'orders', cardinality(v_orders), 'payments', cardinality(v_payment_ids), 'snapshot', v_had_snapshot
  );
end
$$;
