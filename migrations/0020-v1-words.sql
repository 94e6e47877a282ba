-- What was sold is shown as live data has it: taxes that are in a price are not in its gross and net sales, rates have eight digits, every item has its detail, and what was sent without an id has one.

-- Receipts and what refunds are made of are kept in the words of v1 and copied out when read, so those of before are
-- rewritten. No sum changes that anybody paid: what an item comes to, what was due, taxes and discounts stay as they are.

-- The id of what was sent without one: as `uuidOf` of src/base/ids.ts makes it.
create function pg_temp.uuid_of(variadic words text[]) returns text
language sql immutable
as $$
  select format('%s-%s-8%s-%s%s-%s', substr(hex, 1, 8), substr(hex, 9, 4), substr(hex, 14, 3),
    substr('89ab', ((('x0' || substr(hex, 17, 1))::bit(8)::integer) & 3) + 1, 1), substr(hex, 18, 3), substr(hex, 21, 12))
  from encode(sha256(convert_to(array_to_string(words, E'\n'), 'UTF8')), 'hex') hex
$$;

create function pg_temp.eight_digits(rate text) returns text
language sql immutable
as $$ select case when rate is null then null else rpad(rate, 10, '0') end $$;

create function pg_temp.applied(lines jsonb, inclusion text) returns bigint
language sql immutable
as $$
  select coalesce(sum((line -> 'applied_money' ->> 'amount')::bigint), 0)::bigint
  from jsonb_array_elements(lines) line
  where line ->> 'inclusion_type' = inclusion
$$;

create function pg_temp.without_tax(money jsonb, tax bigint) returns jsonb
language sql immutable
as $$ select jsonb_set(money, '{amount}', to_jsonb((money ->> 'amount')::bigint - tax)) $$;

create function pg_temp.taxes(merchant text, lines jsonb) returns jsonb
language sql immutable
as $$
  select coalesce(jsonb_agg(
    line
    || jsonb_build_object('rate', pg_temp.eight_digits(line ->> 'rate'))
    || jsonb_build_object('fee_id', coalesce(
      line ->> 'fee_id',
      pg_temp.uuid_of(merchant, 'tax', line ->> 'name', pg_temp.eight_digits(line ->> 'rate'), line ->> 'inclusion_type')
    ))
    order by at
  ), '[]')
  from jsonb_array_elements(lines) with ordinality each (line, at)
$$;

-- Discounts, and modifiers: known by their name.
create function pg_temp.named(merchant text, lines jsonb, kind text, id text) returns jsonb
language sql immutable
as $$
  select coalesce(jsonb_agg(
    line || jsonb_build_object(id, coalesce(line ->> id, pg_temp.uuid_of(merchant, kind, line ->> 'name')))
    order by at
  ), '[]')
  from jsonb_array_elements(lines) with ordinality each (line, at)
$$;

create function pg_temp.surcharges(lines jsonb) returns jsonb
language sql immutable
as $$
  select coalesce(jsonb_agg(
    case
      when line ? 'rate' then line || jsonb_build_object('rate', pg_temp.eight_digits(line ->> 'rate'))
      else line
    end
    order by at
  ), '[]')
  from jsonb_array_elements(lines) with ordinality each (line, at)
$$;

-- The detail of an item, and the name of its variation; of anything else just the empty words.
create function pg_temp.detail(merchant text, item jsonb) returns jsonb
language sql immutable
as $$
  select case
    when item ->> 'itemization_type' = 'ITEM' then jsonb_build_object(
      'item_variation_name', variation,
      'item_detail', given || jsonb_build_object(
        'item_id', id,
        'item_variation_id', coalesce(given ->> 'item_variation_id', pg_temp.uuid_of(merchant, 'variation', id, variation))
      )
    )
    else jsonb_build_object('item_detail', given)
  end
  from (
    select '{"category_name": "", "sku": ""}'::jsonb || coalesce(item -> 'item_detail', '{}') as given,
      coalesce(nullif(item ->> 'item_variation_name', ''), 'Regular') as variation
  ) words
  cross join lateral (
    select coalesce(given ->> 'item_id', pg_temp.uuid_of(merchant, 'item', item ->> 'name')) as id
  ) known
$$;

create function pg_temp.items(merchant text, items jsonb) returns jsonb
language sql immutable
as $$
  select coalesce(jsonb_agg(
    (case when item ->> 'notes' = '' then item - 'notes' else item end)
    || pg_temp.detail(merchant, item)
    || jsonb_build_object(
      'gross_sales_money', pg_temp.without_tax(item -> 'gross_sales_money', pg_temp.applied(item -> 'taxes', 'INCLUSIVE')),
      'net_sales_money', pg_temp.without_tax(item -> 'net_sales_money', pg_temp.applied(item -> 'taxes', 'INCLUSIVE')),
      'taxes', pg_temp.taxes(merchant, item -> 'taxes'),
      'discounts', pg_temp.named(merchant, item -> 'discounts', 'discount', 'discount_id'),
      'modifiers', pg_temp.named(merchant, item -> 'modifiers', 'modifier', 'modifier_option_id')
    )
    order by at
  ), '[]')
  from jsonb_array_elements(items) with ordinality each (item, at)
$$;

update sales s
set receipt = (
  select (
    r.receipt
    || jsonb_build_object(
      'gross_sales_money', pg_temp.without_tax(r.receipt -> 'gross_sales_money', r.inclusive),
      'net_sales_money', pg_temp.without_tax(r.receipt -> 'net_sales_money', r.inclusive),
      'inclusive_tax', pg_temp.taxes(s.merchant_id, r.receipt -> 'inclusive_tax'),
      'additive_tax', pg_temp.taxes(s.merchant_id, r.receipt -> 'additive_tax'),
      'surcharges', pg_temp.surcharges(r.receipt -> 'surcharges'),
      'itemizations', pg_temp.items(s.merchant_id, r.receipt -> 'itemizations')
    )
  )::json
  from (
    select s.receipt::jsonb as receipt, (s.receipt -> 'inclusive_tax_money' ->> 'amount')::bigint as inclusive
  ) r
)
where receipt is not null;

update refunds r
set breakdown = (
  r.breakdown::jsonb
  || jsonb_build_object(
    'refunded_inclusive_tax', pg_temp.taxes(r.merchant_id, r.breakdown::jsonb -> 'refunded_inclusive_tax'),
    'refunded_additive_tax', pg_temp.taxes(r.merchant_id, r.breakdown::jsonb -> 'refunded_additive_tax'),
    'refunded_surcharges', pg_temp.surcharges(r.breakdown::jsonb -> 'refunded_surcharges')
  )
)::json
where breakdown is not null;

drop function pg_temp.items(text, jsonb);
drop function pg_temp.detail(text, jsonb);
drop function pg_temp.surcharges(jsonb);
drop function pg_temp.named(text, jsonb, text, text);
drop function pg_temp.taxes(text, jsonb);
drop function pg_temp.without_tax(jsonb, bigint);
drop function pg_temp.applied(jsonb, text);
drop function pg_temp.eight_digits(text);
drop function pg_temp.uuid_of(text[]);
