-- Refunds are changed here only. payments/functions.sql inserts them, because canceling a captured payment creates a refund.

-- Prints the v2 JSON of a refund. p_captured_at is when the payment was captured whose money goes back: the returned part of its fee counts
-- from the same time as the fee, as in print_payment. It is an argument, because on a distributed database a function that a list calls
-- cannot read tables.
create function print_refund(
  p_refund_id text, p_payment_id text, p_location_id text, p_status text, p_source_type text,
  p_created_at timestamptz, p_updated_at timestamptz, p_currency text, p_amount bigint, p_app_fee bigint,
  p_returned_fee bigint, p_captured_at timestamptz, p_order_id text, p_reason text
)
returns text
language plpgsql stable parallel safe as $$
begin
  return '{"id":"' || p_refund_id || '","status":"' || p_status || '","location_id":"' || p_location_id
    || '","amount_money":{"amount":' || p_amount || ',"currency":"' || p_currency || '"}'
    || coalesce(',"app_fee_money":{"amount":' || p_app_fee || ',"currency":"' || p_currency || '"}', '')
    -- Negative, because the fee is returned to the seller.
    || coalesce(
      ',"processing_fee":[{"effective_at":"'
      || to_char(p_captured_at at time zone 'UTC' + interval '2 hours', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"')
      || '","type":"INITIAL","amount_money":{"amount":' || -p_returned_fee || ',"currency":"' || p_currency || '"}}]',
      ''
    )
    || ',"payment_id":"' || p_payment_id || '","order_id":"' || p_order_id || '"'
    || coalesce(',"reason":' || to_json(p_reason)::text, '')
    || ',"source_type":"' || p_source_type
    || '","created_at":"' || to_char(p_created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    || '","updated_at":"' || to_char(p_updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"}';
end
$$;

-- Records the event of a refund and those of its payments. v2 shows refunds of cards, without exchanges and reversals (decision 0025).
-- Returns the v2 JSON of the refund.
create function record_refund_events(p_merchant_id text, p_refund refunds, p_payments payments[], p_kind text) returns text
language plpgsql as $$
declare
  v_changes event_change[] := payment_changes(p_merchant_id, p_payments, 'payment.updated');
  v_payer_id text := coalesce(p_refund.returned_to, p_refund.payment_id);
  v_json text := print_refund(
    p_refund.refund_id, v_payer_id, p_refund.location_id, p_refund.status, p_refund.source_type, p_refund.created_at,
    p_refund.updated_at, p_refund.currency, p_refund.amount, p_refund.app_fee, p_refund.returned_fee,
    (select captured_at from unnest(p_payments) where payment_id = v_payer_id), p_refund.order_id, p_refund.reason
  );
begin
  if p_refund.source_type = 'CARD' and p_refund.origin in ('API', 'REGISTER') then
    v_changes := row(p_refund.location_id, null, p_kind, p_refund.refund_id, p_refund.updated_at, v_json)::event_change
      || v_changes;
  end if;
  perform record_events(p_merchant_id, v_changes);
  return v_json;
end
$$;

-- Locks a payment that is refunded.
create function lock_refunded_payment(p_merchant_id text, p_payment_id text) returns payments
language plpgsql as $$
declare
  v_payment payments;
begin
  perform bring_back_sale(p_merchant_id, p_payment_id);
  select *
  into strict v_payment
  from payments
  where merchant_id = p_merchant_id and payment_id = p_payment_id
  for update;
  if v_payment.status <> 'COMPLETED' then
    raise exception 'captured_payment: the payment is %', v_payment.status;
  end if;
  return v_payment;
end
$$;

-- Adds a refund, or with p_sign = -1 takes one off that has failed. A payment whose money goes back for goods of a later sale has counted
-- it as exchanged until then.
create function with_refund(p_payment payments, p_refund refunds, p_sign integer) returns payments
language plpgsql stable as $$
begin
  p_payment.refunded := p_payment.refunded + p_sign * p_refund.amount;
  if p_refund.returned_to = p_payment.payment_id then
    p_payment.exchanged := p_payment.exchanged - p_sign * p_refund.amount;
  end if;
  p_payment.updated_at := greatest(p_payment.updated_at, p_refund.updated_at);
  return p_payment;
end
$$;

-- The payments of a refund, locked: the one that is refunded, and the one whose money goes back, if that is another one.
create function lock_payments_of_refund(p_merchant_id text, p_refund_id text) returns payments[]
language plpgsql as $$
declare
  v_refund refunds;
  v_payment payments;
  v_payments payments[] := '{}';
begin
  -- Every function locks the payments before the refund, in the order of their ids, to avoid deadlocks.
  select *
  into strict v_refund
  from refunds
  where merchant_id = p_merchant_id and refund_id = p_refund_id;
  perform bring_back_sale(p_merchant_id, least(v_refund.payment_id, v_refund.returned_to));
  perform bring_back_sale(p_merchant_id, greatest(v_refund.payment_id, v_refund.returned_to));
  for v_payment in
    select *
    from payments
    where merchant_id = p_merchant_id and payment_id in (v_refund.payment_id, v_refund.returned_to)
    order by payment_id
    for update
  loop
    v_payments := v_payments || v_payment;
  end loop;
  return v_payments;
end
$$;

-- Creates refunds and reserves their amounts. PENDING refunds are finished by work that is due at p_due_at. For each refund, in the order
-- given, returns its v2 JSON. Raises captured_payment if a payment is not COMPLETED, and payments_refunded if the refunds of one exceed its
-- total, or what it counts as exchanged.
create function create_refunds(p_merchant_id text, p_refunds json, p_due_at timestamptz) returns setof text
language plpgsql as $$
declare
  v_given json;
  v_base refunds;
  v_refund refunds;
  v_payment payments;
  v_payments payments[];
begin
  v_base.merchant_id := p_merchant_id;
  for v_given in
    select json_array_elements(p_refunds)
  loop
    v_refund := json_populate_record(v_base, v_given);
    -- Before the refund is inserted: its foreign key takes a weaker lock on the payment. Two refunds of one payment could both have that
    -- lock, and then wait for each other. A payment of an earlier sale is locked already, because the change depends on it.
    v_payments := array[lock_refunded_payment(p_merchant_id, v_refund.payment_id)];
    if v_refund.returned_to is not null then
      v_payments := v_payments || lock_refunded_payment(p_merchant_id, v_refund.returned_to);
    end if;
    perform record_refunds(p_merchant_id, array[v_given]);

    for v_place in 1 .. cardinality(v_payments) loop
      v_payment := v_payments[v_place];
      if v_refund.origin = 'EXCHANGE' then
        v_payment.exchanged := v_payment.exchanged + v_refund.amount;
        v_payment.updated_at := greatest(v_payment.updated_at, v_refund.updated_at);
      else
        v_payment := with_refund(v_payment, v_refund, 1);
        v_payment.refund_ids := v_payment.refund_ids || v_refund.refund_id;
        if v_refund.status = 'COMPLETED' then
          v_payment.returned := v_payment.returned + v_refund.amount;
        end if;
      end if;
      v_payments[v_place] := save_payment(v_payment);
    end loop;

    if v_refund.status = 'PENDING' then
      perform add_due_work(p_merchant_id, array[
        json_build_object('kind', 'FINISH_REFUND', 'subject_id', v_refund.refund_id, 'due_at', p_due_at)
      ]);
    end if;
    return next record_refund_events(p_merchant_id, v_refund, v_payments, 'refund.created');
  end loop;
end
$$;

-- PENDING -> COMPLETED, with the movement. Does nothing if the refund is no longer PENDING.
create function complete_refund(
  p_merchant_id text, p_refund_id text, p_at timestamptz, p_returned_fee bigint, p_app_fee bigint, p_movement json
)
returns void
language plpgsql as $$
declare
  v_refund refunds;
  v_payment payments;
  v_payments payments[];
begin
  v_payments := lock_payments_of_refund(p_merchant_id, p_refund_id);
  update refunds
  set
    status = 'COMPLETED',
    updated_at = greatest(updated_at, p_at),
    returned_fee = p_returned_fee,
    app_fee = p_app_fee
  where merchant_id = p_merchant_id and refund_id = p_refund_id and status = 'PENDING'
  returning *
  into v_refund;
  if not found then
    return;
  end if;

  for v_place in 1 .. cardinality(v_payments) loop
    v_payment := v_payments[v_place];
    v_payment.returned := v_payment.returned + v_refund.amount;
    v_payment.updated_at := greatest(v_payment.updated_at, p_at);
    v_payments[v_place] := save_payment(v_payment);
  end loop;
  perform record_movements(p_merchant_id, array[p_movement]);
  perform record_refund_events(p_merchant_id, v_refund, v_payments, 'refund.updated');
end
$$;

-- PENDING -> FAILED. Releases the reserved amount, and blocks further refunds of the payment if p_blocks (decision 0029): unless a dispute
-- stopped it, which ends (decision 0225). If the payment was canceled
-- meanwhile, this part is reversed as well: p_reversal is that refund, with its movement and the work that notifies the processor. With
-- p_undo, COMPLETED -> FAILED: p_undo is the movement that takes back the one of the refund (decision 0187).
create function fail_refund(
  p_merchant_id text, p_refund_id text, p_at timestamptz, p_reversal json, p_movement json, p_processor_work json,
  p_undo json, p_blocks boolean
)
returns void
language plpgsql as $$
declare
  v_refund refunds;
  v_payment payments;
  v_payments payments[];
begin
  v_payments := lock_payments_of_refund(p_merchant_id, p_refund_id);
  update refunds
  set
    status = 'FAILED',
    updated_at = greatest(updated_at, p_at),
    returned_fee = null
  where merchant_id = p_merchant_id and refund_id = p_refund_id
    and status = case when p_undo is null then 'PENDING' else 'COMPLETED' end
  returning *
  into v_refund;
  if not found then
    return;
  end if;

  for v_place in 1 .. cardinality(v_payments) loop
    v_payment := with_refund(v_payments[v_place], v_refund, -1);
    if p_undo is not null then
      v_payment.returned := v_payment.returned - v_refund.amount;
    end if;
    v_payment.refunds_blocked := v_payment.refunds_blocked or p_blocks;
    if p_reversal ->> 'payment_id' = v_payment.payment_id then
      v_payment := with_reversal(v_payment, p_reversal);
      perform record_refunds(p_merchant_id, array[p_reversal]);
    end if;
    v_payments[v_place] := save_payment(v_payment);
  end loop;
  perform record_movements(p_merchant_id, array[p_movement, p_undo]);
  if p_processor_work is not null then
    perform add_overdue_work(p_merchant_id, p_processor_work);
  end if;
  perform record_refund_events(p_merchant_id, v_refund, v_payments, 'refund.updated');
end
$$;

-- COMPLETED -> FAILED, of the exchanges that paid a tender of a sale that is canceled: what they were worth can be refunded or exchanged
-- again. p_leader_id is the first of them.
create function undo_exchanges(p_merchant_id text, p_leader_id text, p_at timestamptz) returns void
language plpgsql as $$
declare
  v_refund refunds;
  v_payment payments;
begin
  for v_refund in
    select *
    from refunds
    where merchant_id = p_merchant_id and (refund_id = p_leader_id or leader_id = p_leader_id) and origin = 'EXCHANGE'
      and status = 'COMPLETED'
    order by payment_id
  loop
    v_payment := lock_refunded_payment(p_merchant_id, v_refund.payment_id);
    update refunds
    set status = 'FAILED', updated_at = greatest(updated_at, p_at)
    where merchant_id = p_merchant_id and refund_id = v_refund.refund_id
    returning *
    into v_refund;
    v_payment.exchanged := v_payment.exchanged - v_refund.amount;
    v_payment.updated_at := greatest(v_payment.updated_at, p_at);
    v_payment := save_payment(v_payment);
    perform record_refund_events(p_merchant_id, v_refund, array[v_payment], 'refund.updated');
  end loop;
end
$$;
