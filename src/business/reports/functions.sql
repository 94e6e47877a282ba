-- Adds up days, stores the sums, and reports them (decision 0142).

-- The name of a time zone for PostgreSQL, which reads the sign of an offset such as +05:30 the other way round.
create function postgres_timezone(p_timezone text) returns text
language sql immutable parallel safe as $$
  select case when p_timezone ~ '^[+-]' then translate(p_timezone, '+-', '-+') else p_timezone end
$$;

-- An instant before a day begins at a location, whatever its clocks do at midnight. Only narrows a search: the local day decides.
create function before_day(p_day date, p_timezone text) returns timestamptz
language sql stable parallel safe as $$
  select (p_day::timestamp at time zone p_timezone) - interval '3 hours'
$$;

-- Adds up sales ($2: spans) and refunds of a merchant ($1), by each of some dimensions ($3). The only definition of these sums.
-- p_sales, p_payments and p_refunds name the tables.
create function sums_statement(p_sales text, p_payments text, p_refunds text) returns text
language sql immutable parallel safe as $$
  select format($statement$
  with sold as materialized (
    select
      s.sale_id, s.location_id, s.created_at, s.employee_id, coalesce(s.tender_ids, array[s.sale_id]) as tender_ids,
      (s.created_at at time zone span.timezone)::date as day,
      extract(hour from s.created_at at time zone span.timezone)::integer as hour,
      s.kind = 'API' as is_api, receipt.gross, receipt.discount, receipt.tax, receipt.surcharge,
      receipt.items, receipt.discounts, receipt.taxes
    from unnest($2) as span
    join %1$s as s on s.merchant_id = $1 and s.location_id = span.location_id
      and s.created_at >= span.begin_at and s.created_at < span.end_at
    left join lateral json_to_record(s.receipt) as receipt (
      gross bigint, discount bigint, tax bigint, surcharge bigint, items json, discounts json, taxes json
    ) on true
    where s.state = 'COMPLETED'
      and (s.created_at at time zone span.timezone)::date >= span.begin_day
      and (s.created_at at time zone span.timezone)::date < span.end_day
  ),
  taken as materialized (
    select
      sold.location_id, sold.created_at, sold.employee_id, sold.day, sold.hour,
      case when sold.is_api then p.amount end as custom_amount, p.payment_id, coalesce(p.tip, 0) as tip, p.total, coalesce(p.fee, 0) + coalesce(p.app_fee, 0) as fee,
      case when p.is_exchange then 'EXCHANGE' else tender_type(p.source_type, p.card_brand) end as tender,
      coalesce(p.card_brand, 'OTHER_BRAND') as card_brand,
      p.refunded + p.exchanged + p.returned > 0 as is_returned
    from sold
    -- With a condition on the list instead, each sale would read all payments of a merchant that the planner takes for a small one.
    cross join lateral unnest(sold.tender_ids) as paid_by (payment_id)
    join %2$s as p on p.merchant_id = $1 and p.payment_id = paid_by.payment_id
  ),
  -- A refund counts on its own day. If it was made before its sale was complete, it counts at the time of the sale.
  refund as materialized (
    select
      coalesce(r.leader_id, r.refund_id) as leader_id, r.location_id, s.employee_id,
      (r.created_at at time zone span.timezone)::date as day,
      extract(hour from r.created_at at time zone span.timezone)::integer as hour,
      r.status, r.origin, r.amount, r.returned_fee, r.app_fee, r.breakdown,
      tender_type(payer.source_type, payer.card_brand) as source_type, payer.card_brand,
      s.kind = 'API' as is_api, case when r.breakdown ->> 'version' = '2' then s.receipt -> 'items' end as sold_items
    from unnest($2) as span
    join %3$s as leader on leader.merchant_id = $1 and leader.location_id = span.location_id
      and leader.created_at >= span.begin_at and leader.created_at < span.end_at and leader.leader_id is null
    cross join lateral (
      select
        leader.refund_id, leader.leader_id, leader.payment_id, leader.location_id, leader.created_at, leader.status, leader.origin,
        leader.amount, leader.returned_fee, leader.app_fee, leader.breakdown, leader.returned_to
      union all
      select
        other.refund_id, other.leader_id, other.payment_id, other.location_id, other.created_at, other.status, other.origin,
        other.amount, other.returned_fee, other.app_fee, other.breakdown, other.returned_to
      from %3$s as other
      where other.merchant_id = $1 and other.leader_id = leader.refund_id
    ) as r
    join %2$s as p on p.merchant_id = $1 and p.payment_id = r.payment_id
    -- If returned goods paid for the sale, the money goes back to a payment of an earlier sale.
    join %2$s as payer on payer.merchant_id = $1 and payer.payment_id = coalesce(r.returned_to, r.payment_id)
    join %1$s as s on s.merchant_id = $1 and s.sale_id = p.sale_id
    where s.state = 'COMPLETED' and s.created_at <= r.created_at
      and (r.created_at at time zone span.timezone)::date >= span.begin_day
      and (r.created_at at time zone span.timezone)::date < span.end_day
    union all
    select
      coalesce(r.leader_id, r.refund_id), r.location_id, taken.employee_id, taken.day, taken.hour,
      r.status, r.origin, r.amount, r.returned_fee, r.app_fee, r.breakdown,
      case when taken.tender = 'EXTERNAL_CARD' then taken.tender else r.source_type end,
      nullif(taken.card_brand, 'OTHER_BRAND'), taken.custom_amount is not null, null
    from taken
    join %3$s as r on r.merchant_id = $1 and r.payment_id = taken.payment_id
    where taken.is_returned and r.created_at < taken.created_at
  ),
  returned as materialized (
    select
      refund.leader_id, refund.location_id, refund.employee_id, refund.day, refund.hour, refund.amount,
      case when refund.origin = 'EXCHANGE' then 'EXCHANGE' else refund.source_type end as tender,
      coalesce(refund.card_brand, 'OTHER_BRAND') as card_brand,
      -- A fee comes back when the refund is complete.
      case when refund.status = 'COMPLETED' then coalesce(refund.returned_fee, 0) + coalesce(refund.app_fee, 0) else 0 end as fee,
      -coalesce(part.tip, 0) as tip, -coalesce(part.tax, 0) as tax, -coalesce(part.surcharge, 0) as surcharge, part.taxes,
      part.items, refund.sold_items, refund.is_api
    from refund
    left join lateral json_to_record(refund.breakdown) as part (tip bigint, tax bigint, surcharge bigint, taxes json, items json) on true
    where refund.status in ('PENDING', 'COMPLETED')
  ),
  -- A few rows for each hour and employee. The sets are combined by union all, because a join of two of them would be planned without
  -- knowing their sizes.
  fact as materialized (
    select
      sold.location_id, sold.day, sold.hour, sold.employee_id,
      count(*) as count, sum(coalesce(sold.gross, 0)) as gross, sum(coalesce(sold.discount, 0)) as discount,
      sum(coalesce(sold.tax, 0)) as tax, sum(coalesce(sold.surcharge, 0)) as surcharge, 0 as tip, 0 as collected, 0 as fee,
      0 as refund_count, 0 as refunded, 0 as refunded_tax, 0 as refunded_surcharge, 0 as refunded_tip, 0 as refunded_fee
    from sold
    group by sold.location_id, sold.day, sold.hour, sold.employee_id
    union all
    select
      taken.location_id, taken.day, taken.hour, taken.employee_id, 0, sum(coalesce(taken.custom_amount, 0)), 0, 0, 0,
      sum(taken.tip), sum(taken.total), sum(taken.fee), 0, 0, 0, 0, 0, 0
    from taken
    group by taken.location_id, taken.day, taken.hour, taken.employee_id
    union all
    select
      returned.location_id, returned.day, returned.hour, returned.employee_id, 0, 0, 0, 0, 0, 0, 0, 0,
      count(distinct returned.leader_id), sum(returned.amount), sum(returned.tax), sum(returned.surcharge), sum(returned.tip),
      sum(returned.fee)
    from returned
    group by returned.location_id, returned.day, returned.hour, returned.employee_id
  ),
  -- What was sold and what was returned, by item. A refund of an amount names no items. So it has a row of its own, except for a sale of
  -- the API, which is one custom amount.
  goods as (
    select
      sold.location_id, sold.day, item.kind, item.name, item.detail ->> 'itemId' as item_id, item.detail ->> 'categoryName' as category,
      1 as count, item.quantity, item.gross, item.discount, item."additiveTax" + item."inclusiveTax" as tax,
      0 as refund_count, 0 as refunded, 0 as refunded_tax
    from sold
    cross join lateral json_to_recordset(sold.items) as item (
      kind text, name text, quantity bigint, gross bigint, discount bigint, "additiveTax" bigint, "inclusiveTax" bigint, detail json
    )
    where $3 && array['ITEM', 'CATEGORY']
    union all
    select
      taken.location_id, taken.day, 'CUSTOM_AMOUNT', null, null, null,
      1, 100000, taken.custom_amount, 0, 0, 0, 0, 0
    from taken
    where $3 && array['ITEM', 'CATEGORY'] and taken.custom_amount is not null
    union all
    select
      returned.location_id, returned.day, item.kind, item.name, item.detail ->> 'itemId', item.detail ->> 'categoryName',
      0, -part.quantity, 0, 0, 0, 1, part.amount, part.tax
    from returned
    cross join lateral json_to_recordset(returned.items) as part (line integer, quantity bigint, amount bigint, tax bigint)
    cross join lateral json_to_record(returned.sold_items -> part.line) as item (kind text, name text, detail json)
    where $3 && array['ITEM', 'CATEGORY']
    union all
    select
      returned.location_id, returned.day, case when returned.is_api then 'CUSTOM_AMOUNT' else 'REFUNDED_AMOUNT' end, null, null, null,
      0, 0, 0, 0, 0, case when returned.items is null then 1 else 0 end,
      returned.amount - returned.tip - returned.surcharge - named.amount, returned.tax - named.tax
    from returned
    -- If a refund by item has several records, the first names all items, with the whole amount. These rows take the excess back from the
    -- first record, and add the amounts of the others.
    cross join lateral (
      select coalesce(sum(part.amount), 0) as amount, coalesce(sum(part.tax), 0) as tax
      from json_to_recordset(returned.items) as part (amount bigint, tax bigint)
    ) as named
    where $3 && array['ITEM', 'CATEGORY']
      and (returned.items is null or returned.amount <> named.amount or returned.tax <> named.tax)
  ),
  line as (
    select
      keyed.dimension, fact.location_id, fact.day, keyed.key, null as name,
      fact.count, 0 as quantity, fact.gross, fact.discount, fact.tax, fact.surcharge, fact.tip, fact.collected, fact.fee,
      fact.refund_count, fact.refunded, fact.refunded_tax, fact.refunded_surcharge, fact.refunded_tip, fact.refunded_fee
    from fact
    cross join lateral (
      values ('TOTAL', ''), ('HOUR', fact.hour::text), ('EMPLOYEE', coalesce(fact.employee_id::text, ''))
    ) as keyed (dimension, key)
    where keyed.dimension = any ($3)
    union all
    select
      keyed.dimension, goods.location_id, goods.day, keyed.key, keyed.name,
      goods.count, goods.quantity, goods.gross, goods.discount, goods.tax, 0, 0, goods.gross + goods.discount + goods.tax, 0,
      goods.refund_count, goods.refunded, goods.refunded_tax, 0, 0, 0
    from goods
    cross join lateral (
      values
        (
          'ITEM',
          case when goods.kind = 'ITEM' then coalesce(goods.item_id, goods.name) else goods.kind end,
          case when goods.kind = 'ITEM' then goods.name end
        ),
        ('CATEGORY', case when goods.kind = 'REFUNDED_AMOUNT' then goods.kind else coalesce(goods.category, '') end, null)
    ) as keyed (dimension, key, name)
    where keyed.dimension = any ($3)
    union all
    select
      keyed.dimension, taken.location_id, taken.day, keyed.key, null,
      1, 0, 0, 0, 0, 0, taken.tip, taken.total, taken.fee, 0, 0, 0, 0, 0, 0
    from taken
    cross join lateral (values ('TENDER', taken.tender), ('CARD_BRAND', taken.card_brand)) as keyed (dimension, key)
    where $3 && array['TENDER', 'CARD_BRAND'] and keyed.dimension = any ($3)
      and (keyed.dimension = 'TENDER' or taken.tender = 'CARD')
    union all
    select
      keyed.dimension, returned.location_id, returned.day, keyed.key, null,
      0, 0, 0, 0, 0, 0, 0, 0, 0,
      1, returned.amount, returned.tax, returned.surcharge, returned.tip, returned.fee
    from returned
    cross join lateral (values ('TENDER', returned.tender), ('CARD_BRAND', returned.card_brand)) as keyed (dimension, key)
    where $3 && array['TENDER', 'CARD_BRAND'] and keyed.dimension = any ($3)
      and (keyed.dimension = 'TENDER' or returned.tender = 'CARD')
    union all
    select
      'TAX', sold.location_id, sold.day, coalesce(tax.id, tax.name), name_tax(tax.name, tax.rate),
      1, 0, 0, 0, tax.applied, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
    from sold
    cross join lateral json_to_recordset(sold.taxes) as tax (id text, name text, rate bigint, applied bigint)
    where 'TAX' = any ($3)
    union all
    select
      'TAX', returned.location_id, returned.day, coalesce(tax.id, tax.name), name_tax(tax.name, tax.rate),
      0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, -tax.applied, 0, 0, 0
    from returned
    cross join lateral json_to_recordset(returned.taxes) as tax (id text, name text, rate bigint, applied bigint)
    where 'TAX' = any ($3)
    union all
    select
      'DISCOUNT', sold.location_id, sold.day, coalesce(discount.id, discount.name), discount.name,
      1, 0, 0, discount.applied, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
    from sold
    cross join lateral json_to_recordset(sold.discounts) as discount (id text, name text, applied bigint)
    where 'DISCOUNT' = any ($3)
  )
  select
    line.dimension, line.location_id, line.day, line.key, max(line.name),
    sum(line.count)::bigint, sum(line.quantity)::bigint, sum(line.gross)::bigint, sum(line.discount)::bigint,
    sum(line.tax)::bigint, sum(line.surcharge)::bigint, sum(line.tip)::bigint, sum(line.collected)::bigint,
    sum(line.fee)::bigint, sum(line.refund_count)::bigint, sum(line.refunded)::bigint, sum(line.refunded_tax)::bigint,
    sum(line.refunded_surcharge)::bigint, sum(line.refunded_tip)::bigint, sum(line.refunded_fee)::bigint
  from line
  group by line.dimension, line.location_id, line.day, line.key
  $statement$, p_sales, p_payments, p_refunds)
$$;

-- Adds up many days. Planned for each call, because the best plan depends on the number of days.
create function sum_up_days(p_merchant_id text, p_spans report_span[], p_dimensions text[]) returns setof report_line
language plpgsql stable as $$
begin
  -- On the part of each table that is on the shard of the merchant: a distributed database cannot plan this statement on whole tables.
  return query execute sums_statement(
    shard_table('sales', p_merchant_id), shard_table('payments', p_merchant_id), shard_table('refunds', p_merchant_id))
  using p_merchant_id, p_spans, p_dimensions;
end
$$;

-- sum_up_planned_days is the same statement with a plan that a connection keeps: planning takes several times as long as adding up an
-- hour. The plan does not know that it reads few sales. So it must find their payments and refunds one by one, by indexes. Only for a
-- plain PostgreSQL.
do $do$
begin
  execute format(
    'create or replace function sum_up_planned_days(text, report_span[], text[]) returns setof report_line
    language plpgsql stable
    set enable_hashjoin = off
    set enable_mergejoin = off
    set enable_seqscan = off
    as %L',
    'begin return query ' || sums_statement('sales', 'payments', 'refunds') || '; end'
  );
end
$do$;

-- Adds up what is not stored, for a report: usually a part of today.
create function sum_up_open_days(p_merchant_id text, p_spans report_span[], p_dimensions text[]) returns report_line[]
language plpgsql stable as $$
declare
  v_is_long boolean := exists (select from unnest(p_spans) as span where span.end_day - span.begin_day > 2);
begin
  if p_spans = '{}' then
    return '{}';
  end if;
  if v_is_long or is_distributed() then
    return array(select line from sum_up_days(p_merchant_id, p_spans, p_dimensions) as line);
  end if;
  return array(select line from sum_up_planned_days(p_merchant_id, p_spans, p_dimensions) as line);
end
$$;

-- Taxes of the same name differ in their rate, which is stored in millionths. The cast makes the expression immutable: otherwise PostgreSQL
-- would call the function for each tax of each sale, instead of inserting its body into the statement.
create function name_tax(p_name text, p_rate bigint) returns text
language sql immutable parallel safe as $$
  select p_name || ' (' || trim_scale(p_rate / 10000.0)::text || '%)'
$$;

create function all_dimensions() returns text[]
language sql immutable parallel safe as $$
  select array['TOTAL', 'HOUR', 'EMPLOYEE', 'ITEM', 'CATEGORY', 'TENDER', 'CARD_BRAND', 'TAX', 'DISCOUNT']
$$;

-- Stores the sums of everything before p_until that is not stored, and those of late days again. What is stored of a day is replaced as a
-- whole, so it does not matter how often this runs. The caller makes sure that whatever counts before p_until is committed, or marks its
-- day as late.
create function roll_up_days(p_merchant_id text, p_until timestamptz) returns void
language plpgsql as $$
declare
  v_location record;
  v_span report_span;
  v_spans report_span[] := '{}';
  v_lines report_line[];
begin
  insert into report_progress (merchant_id, location_id, timezone, rolled_up_to)
  select merchant_id, location_id, timezone, '-infinity'
  from locations
  where merchant_id = p_merchant_id
  on conflict do nothing;

  -- A concurrent roll-up of the merchant waits here.
  for v_location in
    select
      location.location_id, postgres_timezone(location.timezone) as zone,
      case when progress.timezone = location.timezone then progress.rolled_up_to else '-infinity' end as rolled_up_to
    from report_progress as progress
    join locations as location on location.merchant_id = p_merchant_id and location.location_id = progress.location_id
    where progress.merchant_id = p_merchant_id
    order by location.location_id
    for update of progress
  loop
    v_span := row(
      v_location.location_id, v_location.zone, (v_location.rolled_up_to at time zone v_location.zone)::date, 'infinity', null,
      greatest(p_until, v_location.rolled_up_to)
    );
    v_span.begin_at := before_day(v_span.begin_day, v_location.zone);
    v_spans := v_spans || v_span;
  end loop;

  -- Before the sums: a late write leaves a new mark, or this statement waits for its commit and the sums include it.
  for v_location in
    delete from report_late_days
    where merchant_id = p_merchant_id
    returning location_id, day
  loop
    -- Only late days before the open span of the location: that span already includes the later ones.
    select v_location.location_id, span.timezone, v_location.day, v_location.day + 1, before_day(v_location.day, span.timezone),
      before_day(v_location.day + 2, span.timezone)
    into v_span
    from unnest(v_spans) as span
    where span.location_id = v_location.location_id and span.end_day = 'infinity' and span.begin_day > v_location.day;
    if found then
      v_spans := v_spans || v_span;
    end if;
  end loop;

  v_lines := array(select line from sum_up_days(p_merchant_id, v_spans, all_dimensions()) as line);
  foreach v_span in array v_spans loop
    delete from report_days
    where merchant_id = p_merchant_id and dimension = any (all_dimensions()) and location_id = v_span.location_id
      and day >= v_span.begin_day and day < v_span.end_day;
  end loop;
  insert into report_days (
    merchant_id, dimension, location_id, day, key, name, count, quantity, gross, discount, tax, surcharge, tip, collected, fee,
    refund_count, refunded, refunded_tax, refunded_surcharge, refunded_tip, refunded_fee
  )
  select
    p_merchant_id, dimension, location_id, day, key, name, count, quantity, gross, discount, tax, surcharge, tip, collected, fee,
    refund_count, refunded, refunded_tax, refunded_surcharge, refunded_tip, refunded_fee
  from unnest(v_lines);

  update report_progress
  set timezone = location.timezone, rolled_up_to = greatest(p_until, report_progress.rolled_up_to)
  from locations as location
  where report_progress.merchant_id = p_merchant_id and location.merchant_id = p_merchant_id
    and location.location_id = report_progress.location_id;
end
$$;

-- Marks the local day of a time to be rolled up again.
create function mark_late_day(p_merchant_id text, p_location_id text, p_at timestamptz) returns void
language plpgsql as $$
declare
  v_timezone text;
  v_day date;
begin
  select timezone
  into v_timezone
  from locations
  where merchant_id = p_merchant_id and location_id = p_location_id;
  v_day := (p_at at time zone postgres_timezone(v_timezone))::date;
  insert into report_late_days (merchant_id, location_id, day, marks)
  values (p_merchant_id, p_location_id, v_day, 1)
  on conflict (merchant_id, location_id, day) do update
  set marks = report_late_days.marks + 1;
end
$$;

-- How to read some days of some locations: what is stored, and what has to be added up.
create function plan_report(p_merchant_id text, p_location_ids text[], p_begin date, p_end date) returns report_plan
language plpgsql stable as $$
declare
  v_read report_plan := row('{}', '{}', '{}');
  v_location record;
  v_rolled_up_day date;
  v_late date;
  v_late_days date[];
begin
  for v_location in
    select
      location.location_id, postgres_timezone(location.timezone) as zone, coalesce(progress.rolled_up_to, '-infinity') as rolled_up_to
    from locations as location
    left join report_progress as progress on progress.merchant_id = p_merchant_id
      and progress.location_id = location.location_id and progress.timezone = location.timezone
    where location.merchant_id = p_merchant_id and location.location_id = any (p_location_ids)
  loop
    v_rolled_up_day := (v_location.rolled_up_to at time zone v_location.zone)::date;
    v_late_days := '{}';
    if v_rolled_up_day >= p_begin then
      v_read.stored_ids := v_read.stored_ids || v_location.location_id;
      select coalesce(array_agg(day), '{}')
      into v_late_days
      from report_late_days
      where merchant_id = p_merchant_id and location_id = v_location.location_id and day >= p_begin
        and day <= least(p_end, v_rolled_up_day);
    end if;
    foreach v_late in array v_late_days loop
      v_read.late_keys := v_read.late_keys || (v_location.location_id || ' ' || v_late);
      v_read.spans := v_read.spans || row(
        v_location.location_id, v_location.zone, v_late, v_late + 1, before_day(v_late, v_location.zone),
        before_day(v_late + 2, v_location.zone)
      )::report_span;
    end loop;
    -- The last day may be stored only in part, so the rest of it is added up. If it is late, it is added up as a whole above.
    if v_rolled_up_day = any (v_late_days) then
      v_rolled_up_day := v_rolled_up_day + 1;
    end if;
    if v_rolled_up_day <= p_end then
      v_read.spans := v_read.spans || row(
        v_location.location_id, v_location.zone, greatest(p_begin, v_rolled_up_day), p_end + 1,
        greatest(v_location.rolled_up_to, before_day(p_begin, v_location.zone)), before_day(p_end + 2, v_location.zone)
      )::report_span;
    end if;
  end loop;

  return v_read;
end
$$;

-- The totals of the days from p_begin to p_end, both included, as a JSON array of rows: the place of the location in p_location_ids, the
-- day as a number, and the sums in the order of the columns. As one text, because a year has thousands of numbers, and as columns
-- they would take three times as long.
create function list_report_days(p_merchant_id text, p_location_ids text[], p_begin date, p_end date) returns text
language plpgsql stable
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_plan report_plan := plan_report(p_merchant_id, p_location_ids, p_begin, p_end);
  v_stored_ids text[] := v_plan.stored_ids;
  v_late_keys text[] := v_plan.late_keys;
  v_live report_line[] := sum_up_open_days(p_merchant_id, v_plan.spans, array['TOTAL']);
  v_stored text;
  v_rest text;
begin
  select string_agg('[' || concat_ws(
    ',', array_position(p_location_ids, location_id), day - date '1970-01-01', count, gross, discount, tax, surcharge, tip, collected,
    fee, refund_count, refunded, refunded_tax, refunded_surcharge, refunded_tip, refunded_fee
  ) || ']', ',')
  into v_stored
  from report_days
  where merchant_id = p_merchant_id and dimension = 'TOTAL' and location_id = any (v_stored_ids)
    and day >= p_begin and day <= p_end
    and (v_late_keys = '{}' or location_id || ' ' || day <> all (v_late_keys));
  select string_agg('[' || concat_ws(
    ',', array_position(p_location_ids, location_id), day - date '1970-01-01', count, gross, discount, tax, surcharge, tip, collected,
    fee, refund_count, refunded, refunded_tax, refunded_surcharge, refunded_tip, refunded_fee
  ) || ']', ',')
  into v_rest
  from unnest(v_live);
  return '[' || concat_ws(',', v_stored, v_rest) || ']';
end
$$;

-- The sums of some locations from p_begin to p_end, both included, by a dimension other than TOTAL, or by LOCATION_HOUR. Takes stored sums
-- where there are some, and adds up the rest. In the result, location_id and day are null.
create function list_report(p_merchant_id text, p_location_ids text[], p_begin date, p_end date, p_group text)
returns setof report_line
language plpgsql stable
set search_path from current
set plan_cache_mode = force_generic_plan
as $$
declare
  v_dimension text := case when p_group = 'LOCATION_HOUR' then 'HOUR' else p_group end;
  v_plan report_plan := plan_report(p_merchant_id, p_location_ids, p_begin, p_end);
  v_stored_ids text[] := v_plan.stored_ids;
  v_late_keys text[] := v_plan.late_keys;
  v_live report_line[] := sum_up_open_days(p_merchant_id, v_plan.spans, array[v_dimension]);
begin
  return query
  select
    v_dimension, null::text, null::date, grouped.key, max(grouped.name),
    sum(grouped.count)::bigint, sum(grouped.quantity)::bigint, sum(grouped.gross)::bigint, sum(grouped.discount)::bigint,
    sum(grouped.tax)::bigint, sum(grouped.surcharge)::bigint, sum(grouped.tip)::bigint, sum(grouped.collected)::bigint,
    sum(grouped.fee)::bigint, sum(grouped.refund_count)::bigint, sum(grouped.refunded)::bigint,
    sum(grouped.refunded_tax)::bigint, sum(grouped.refunded_surcharge)::bigint, sum(grouped.refunded_tip)::bigint,
    sum(grouped.refunded_fee)::bigint
  from (
    select
      case when p_group = 'LOCATION_HOUR' then each.location_id || ' ' || each.key else each.key end as key,
      each.name, each.count, each.quantity, each.gross, each.discount, each.tax, each.surcharge, each.tip, each.collected, each.fee,
      each.refund_count, each.refunded, each.refunded_tax, each.refunded_surcharge, each.refunded_tip, each.refunded_fee
    from (
      select
        stored.location_id, stored.day, stored.key, stored.name, stored.count, stored.quantity, stored.gross, stored.discount,
        stored.tax, stored.surcharge, stored.tip, stored.collected, stored.fee, stored.refund_count, stored.refunded,
        stored.refunded_tax, stored.refunded_surcharge, stored.refunded_tip, stored.refunded_fee
      from report_days as stored
      where stored.merchant_id = p_merchant_id and stored.dimension = v_dimension and stored.location_id = any (v_stored_ids)
        and stored.day >= p_begin and stored.day <= p_end
        and (v_late_keys = '{}' or stored.location_id || ' ' || stored.day <> all (v_late_keys))
      union all
      select
        live.location_id, live.day, live.key, live.name, live.count, live.quantity, live.gross, live.discount,
        live.tax, live.surcharge, live.tip, live.collected, live.fee, live.refund_count, live.refunded,
        live.refunded_tax, live.refunded_surcharge, live.refunded_tip, live.refunded_fee
      from unnest(v_live) as live
    ) as each
  ) as grouped
  group by grouped.key
  order by grouped.key;
end
$$;
