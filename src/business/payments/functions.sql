-- Payments of applications are inserted here, many at once. Changes write rows.

-- Separate from published_changes, so that the events of payments of applications do not read the table sales.
create function v1_id_of_sale(p_merchant_id text, p_sale_id text) returns text
language plpgsql stable as $$
begin
  return (
    select v1_id(sale_id, tender_ids, paid, due, keeps_own_id)
    from sales
    where merchant_id = p_merchant_id and sale_id = p_sale_id
  );
end
$$;

-- The events of a change. One with a sale_id is about the sale with the id that it has in v1 after the change.
create function published_changes(p_merchant_id text, p_events json) returns event_change[]
language plpgsql stable as $$
begin
  return array(
    select row(
      location_id, null, kind, coalesce(entity_id, v1_id_of_sale(p_merchant_id, sale_id)), happened_at, object::text
    )::event_change
    from json_to_recordset(p_events) as published (
      location_id text, kind text, entity_id text, sale_id text, happened_at timestamptz, object json
    )
  );
end
$$;

-- Creates payments of applications. p_payments are their rows, p_base the values that all of them have, and p_copies the copies of their v2
-- JSON in the same order, one in each line and empty if there is none. The other arguments are the rows that belong to them, or null: keys,
-- movements of captured payments, calls to the processor that are still to be made, and the work that voids delayed payments. They are
-- separate, so that each text is parsed once; copies are not escaped, so that they are not parsed at all. If the key of a payment is taken,
-- nothing is written for it. Returns the ids of such payments.
create function create_payments(
  p_merchant_id text, p_payments json, p_base json, p_copies text, p_keys json, p_movements json, p_calls json, p_works json
)
returns text[]
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_base payments := json_populate_record(null::payments, p_base);
  v_movement movements;
  v_payments payments[];
  v_copies text[] := string_to_array(p_copies, e'\n', '');
  v_taken text[];
begin
  -- First, because a second request with the same key waits here until the first one has committed.
  v_taken := take_keys(p_merchant_id, p_keys);
  if v_taken <> '{}' then
    v_copies := copies_without(p_payments, v_copies, v_taken);
    p_payments := without_rows(p_payments, 'payment_id', v_taken);
    p_movements := without_rows(p_movements, 'payment_id', v_taken);
    p_calls := without_rows(p_calls, 'payment_id', v_taken);
    p_works := without_rows(p_works, 'subject_id', v_taken);
  end if;

  v_base.merchant_id := p_merchant_id;
  v_payments := array(select payment from json_populate_recordset(v_base, p_payments) as payment);
  perform insert_all_payments(v_payments, v_copies);
  perform record_api_sales(p_merchant_id, api_sales(v_payments));
  if p_movements is not null then
    v_movement.merchant_id := p_merchant_id;
    perform insert_all_movements(array(select movement from json_populate_recordset(v_movement, p_movements) as movement));
  end if;
  if p_calls is not null then
    perform record_create_calls(p_merchant_id, p_calls);
  end if;
  if p_works is not null then
    perform add_due_work(p_merchant_id, array(select json_array_elements(p_works)));
  end if;
  if has_subscriptions(p_merchant_id) then
    perform record_events(p_merchant_id, created_changes(p_merchant_id, v_payments, v_copies));
  end if;
  return v_taken;
end
$$;

-- Creates payments of several merchants, like create_payments, in one commit. Each row names its merchant. Not for a distributed database,
-- where a function runs on the node of one merchant.
create function create_payments_of_merchants(
  p_payments json, p_base json, p_copies text, p_keys json, p_movements json, p_calls json, p_works json
)
returns text[]
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
-- A locked row of one merchant must not delay the others: the call fails, and each merchant is sent again separately (decision 0175).
set lock_timeout = '100ms'
as $$
declare
  v_base payments := json_populate_record(null::payments, p_base);
  v_payments payments[];
  v_copies text[] := string_to_array(p_copies, e'\n', '');
  v_taken text[];
  v_merchant_id text;
begin
  v_taken := take_keys_of_merchants(p_keys);
  if v_taken <> '{}' then
    v_copies := copies_without(p_payments, v_copies, v_taken);
    p_payments := without_rows(p_payments, 'payment_id', v_taken);
    p_movements := without_rows(p_movements, 'payment_id', v_taken);
    p_calls := without_rows(p_calls, 'payment_id', v_taken);
    p_works := without_rows(p_works, 'subject_id', v_taken);
  end if;

  v_payments := array(select payment from json_populate_recordset(v_base, p_payments) as payment);
  perform insert_all_payments(v_payments, v_copies);
  perform record_api_sales_of_merchants(api_sales(v_payments));
  if p_movements is not null then
    perform insert_all_movements(array(select movement from json_populate_recordset(null::movements, p_movements) as movement));
  end if;
  if p_calls is not null then
    perform record_create_calls_of_merchants(p_calls);
  end if;
  if p_works is not null then
    perform add_due_work_of_merchants(p_works);
  end if;
  for v_merchant_id in
    select list_merchants_with_subscriptions(array(select distinct merchant_id from unnest(v_payments)))
  loop
    perform record_events(v_merchant_id, created_changes(v_merchant_id, v_payments, v_copies));
  end loop;
  return v_taken;
end
$$;

-- The events of payments of the merchant that applications created just now: an event with the v2 JSON, which is its copy
-- with the last brace, and, once the payment is captured, a v1 event without content.
create function created_changes(p_merchant_id text, p_payments payments[], p_copies text[]) returns event_change[]
language plpgsql stable as $$
begin
  return array(
    select row(location_id, null, 'payment.created', payment_id, updated_at, given.unnest || '}')::event_change
    from unnest(p_payments, p_copies) as given
    where merchant_id = p_merchant_id and given.unnest is not null
    union all
    select row(location_id, null, 'PAYMENT_UPDATED', sale_id, updated_at, null)::event_change
    from unnest(p_payments)
    where merchant_id = p_merchant_id and captured_at is not null
  );
end
$$;

-- The copies of payments without those of the given records.
create function copies_without(p_payments json, p_copies text[], p_ids text[]) returns text[]
language plpgsql immutable as $$
begin
  return array(
    select copy
    from json_array_elements(p_payments) with ordinality as given (payment, place), unnest(p_copies) with ordinality as printed (copy, place)
    where given.place = printed.place and payment ->> 'payment_id' <> all (p_ids)
    order by given.place
  );
end
$$;

-- Rows without those that belong to the given records.
create function without_rows(p_rows json, p_member text, p_ids text[]) returns json
language plpgsql immutable as $$
begin
  return (
    select json_agg(given)
    from json_array_elements(p_rows) as given
    where given ->> p_member <> all (p_ids)
  );
end
$$;

-- Records calls to the processor that create a payment. Each has payment_id, request and retry_at. The request that records a call holds
-- its lease until it is retried.
create function record_create_calls(p_merchant_id text, p_calls json) returns void
language plpgsql as $$
begin
  insert into processor_calls (merchant_id, payment_id, action, request, retry_at, leased_until)
  select p_merchant_id, payment_id, 'CREATE', request, retry_at, retry_at
  from json_populate_recordset(null::processor_calls, p_calls);
end
$$;

-- Records calls that create payments of several merchants. Each row names its merchant.
create function record_create_calls_of_merchants(p_calls json) returns void
language plpgsql as $$
begin
  insert into processor_calls (merchant_id, payment_id, action, request, retry_at, leased_until)
  select merchant_id, payment_id, 'CREATE', request, retry_at, retry_at
  from json_populate_recordset(null::processor_calls, p_calls);
end
$$;

-- The sales of those payments that are captured and that an application created. A register or an order opens its sale itself.
create function api_sales(p_payments payments[]) returns api_sale[]
language plpgsql stable as $$
begin
  return array(
    select row(merchant_id, sale_id, location_id, captured_at)::api_sale
    from unnest(p_payments)
    where captured_at is not null and channel = 'API'
  );
end
$$;

-- Records the intent to call the processor for an APPROVED payment. Returns false if the payment is no longer APPROVED, or has a call in
-- flight. Whoever records it holds its lease until it is retried.
create function record_action_call(p_merchant_id text, p_payment_id text, p_action text, p_retry_at timestamptz)
returns boolean
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
begin
  -- Locked first, because a concurrent change may be voiding the payment, after it has found no call.
  perform
  from payments
  where merchant_id = p_merchant_id and payment_id = p_payment_id and status = 'APPROVED'
  for update;
  if not found then
    return false;
  end if;

  insert into processor_calls (merchant_id, payment_id, action, retry_at, leased_until)
  values (p_merchant_id, p_payment_id, p_action, p_retry_at, p_retry_at)
  on conflict do nothing;
  return found;
end
$$;

-- Releases a claim of due work, with the lease of the call that it made. p_leased_until identifies the claim: work that was done or
-- claimed again meanwhile is left alone.
create function release_claim(
  p_merchant_id text, p_kind text, p_subject_id text, p_leased_until timestamptz, p_run_at timestamptz
)
returns void
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
begin
  update processor_calls
  set leased_until = null
  where merchant_id = p_merchant_id and payment_id = p_subject_id and leased_until = p_leased_until;
  update due_work
  set leased_until = null, run_at = p_run_at
  where merchant_id = p_merchant_id and kind = p_kind and subject_id = p_subject_id and leased_until = p_leased_until;
end
$$;

-- When the next call of a merchant is retried; null: none.
create function next_retry_at(p_merchant_id text) returns timestamptz
language plpgsql stable as $$
begin
  return (
    select min(retry_at)
    from processor_calls
    where merchant_id = p_merchant_id
  );
end
$$;

-- Merchants of a shard whose payments may have copies of another printer: the next p_limit after p_after, in the order of their ids.
-- p_merchant_id is any value on the shard.
create function list_merchants_with_old_copies(p_merchant_id text, p_after text, p_limit integer, p_printer text) returns setof text
language plpgsql stable
set search_path from current
as $$
begin
  return query execute format('
    select m.merchant_id
    from %s as m
    left join %s as copies on copies.merchant_id = m.merchant_id
    where m.merchant_id > $1
      and (
        copies.printers is null or $3 <> all (copies.printers)
        or copies.printers[cardinality(copies.printers)] = $3 and copies.renewed_up_to is not null
      )
    order by m.merchant_id
    limit $2',
    shard_table('merchants', p_merchant_id), shard_table('payment_copies', p_merchant_id))
  using p_after, p_limit, p_printer;
end
$$;

-- Begins to renew the copies of a merchant, unless this printer has done so before: then a server of another version has begun later, and the
-- two would renew each other's copies for ever. Returns the payment up to which they are renewed; null: all of them.
create function begin_copy_renewal(p_merchant_id text, p_printer text) returns text
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
begin
  insert into payment_copies as copies (merchant_id, version, printers, renewed_up_to)
  values (p_merchant_id, 2, array[p_printer], '')
  on conflict (merchant_id) do update
  set version = 2, printers = coalesce(copies.printers, '{}') || p_printer, renewed_up_to = ''
  where copies.printers is null or p_printer <> all (copies.printers);
  return (
    select renewed_up_to
    from payment_copies
    where merchant_id = p_merchant_id and printers[cardinality(printers)] = p_printer
  );
end
$$;

-- Stores copies of payments that come after p_after, each with payment_id, v2_json and the version of the row that was printed. The payments do
-- not change: there is no event, and updated_at stays. p_up_to is where the next ones begin; null: there are none.
create function renew_payment_copies(p_merchant_id text, p_printer text, p_after text, p_copies json, p_up_to text) returns void
language plpgsql
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_copy json;
begin
  -- Workers of several servers take turns here. If another one has stored these copies, or has begun anew, nothing is left to do.
  perform
  from payment_copies
  where merchant_id = p_merchant_id and renewed_up_to = p_after and printers[cardinality(printers)] = p_printer
  for update;
  if not found then
    return;
  end if;
  update payment_copies
  set renewed_up_to = p_up_to
  where merchant_id = p_merchant_id;

  for v_copy in
    select json_array_elements(p_copies)
  loop
    -- A payment that is locked is skipped: the transaction that holds it changes it, and stores its copy. So is one that has changed.
    perform
    from payments
    where merchant_id = p_merchant_id and payment_id = v_copy ->> 'payment_id' and xmin::text = v_copy ->> 'version'
    for update skip locked;
    if found then
      update payments
      set v2_json = v_copy ->> 'v2_json', v2_json_version = 2, v2_json_printer = p_printer
      where merchant_id = p_merchant_id and payment_id = v_copy ->> 'payment_id';
    end if;
  end loop;
end
$$;
