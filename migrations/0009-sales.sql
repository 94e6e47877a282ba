-- Sales that a register makes: what was sold, taken in one or several tenders, and given back in one or several refunds.

-- A sale of the API has one payment that shares its id, and nothing of what follows.
alter table sales
  -- Where v1 lists it: the first tender's time while it is open, the last one's then; null before the first.
  alter column created_at drop not null,
  add column state text not null default 'COMPLETED' check (state in ('OPEN', 'COMPLETED', 'CANCELED')),
  add column device_id text,
  add column device_name text,
  add column employee_id uuid,
  -- The register's own id, and what it sent with it.
  add column register_sale_id text,
  add column request_hash bytea,
  -- When it was rung up, by the register.
  add column rung_up_at timestamptz,
  -- Without tips; what was paid of it is the sum of its captured tenders.
  add column due bigint check (due >= 0),
  add column paid bigint not null default 0,
  -- Sums, lines and items, in the words of v1: written once, copied out when read.
  add column receipt json,
  -- In the order they were taken.
  add column tender_ids text[],
  add constraint sales_listed check (state <> 'COMPLETED' or created_at is not null),
  add constraint sales_paid check (paid between 0 and due and (state <> 'COMPLETED' or paid = due));

create unique index sales_register_id on sales (merchant_id, device_id, register_sale_id) where device_id is not null;
create index sales_everywhere on sales (merchant_id, created_at, sale_id);

alter table payments rename column card to card_details;
alter table payments
  add constraint payments_source check (source_type in ('CARD', 'CASH', 'OTHER')),
  -- How a card came to the register, in the words of v1; null through the API.
  add column entry_method text,
  -- The cash that was handed over; the change is what is above the total.
  add column tendered bigint check (tendered >= total),
  -- What an OTHER tender is called.
  add column tender_name text,
  add column employee_id uuid,
  add column register_tender_id text,
  -- The value of goods that were returned for this sale, not money.
  add column is_exchange boolean not null default false,
  -- The value of its goods that went into another sale: gone, but not refunded.
  add column exchanged bigint not null default 0,
  -- Where its cash went; null where that shift was closed already.
  add column drawer_shift_id uuid,
  drop constraint payments_refunded,
  add constraint payments_refunded check (refunded >= 0 and exchanged >= 0 and refunded + exchanged <= total);

create unique index payments_register_id on payments (merchant_id, sale_id, register_tender_id)
  where register_tender_id is not null;

-- Only cards are listed by v2 (decision 0025).
drop index payments_created, payments_location, payments_total, payments_last_4, payments_card_brand;
create index payments_created on payments (merchant_id, created_at, payment_id) where source_type = 'CARD';
create index payments_location on payments (merchant_id, location_id, created_at, payment_id) where source_type = 'CARD';
create index payments_total on payments (merchant_id, total, created_at, payment_id) where source_type = 'CARD';
create index payments_last_4 on payments (merchant_id, last_4, created_at, payment_id) where source_type = 'CARD';
create index payments_card_brand on payments (merchant_id, card_brand, created_at, payment_id) where source_type = 'CARD';

-- From here on both are kept in the words of v2, so that showing them is copying them.
update payments
set
  card_details = case when card_details is not null then json_strip_nulls(json_build_object(
    'card', json_build_object(
      'id', card_details -> 'id', 'card_brand', card_details -> 'brand', 'last_4', card_details -> 'last4',
      'exp_month', card_details -> 'expMonth', 'exp_year', card_details -> 'expYear',
      'fingerprint', card_details -> 'fingerprint', 'card_type', card_details -> 'type',
      'prepaid_type', card_details -> 'prepaidType', 'bin', card_details -> 'bin'
    ),
    'entry_method', card_details -> 'entryMethod', 'cvv_status', card_details -> 'cvvStatus',
    'avs_status', card_details -> 'avsStatus', 'auth_result_code', card_details -> 'authResultCode'
  )) end,
  details = json_strip_nulls(json_build_object(
    'order_id', details -> 'orderId', 'reference_id', details -> 'referenceId', 'customer_id', details -> 'customerId',
    'buyer_email_address', details -> 'buyerEmailAddress', 'billing_address', details -> 'billingAddress',
    'shipping_address', details -> 'shippingAddress', 'note', details -> 'note',
    'statement_description_identifier', details -> 'statementDescriptionIdentifier'
  )),
  errors = (
    select json_agg(json_build_object(
      'category', 'PAYMENT_METHOD_ERROR', 'code', error -> 'code', 'detail', error -> 'detail'
    ))
    from json_array_elements(errors) as error
  );

-- A payment as v2 shows it. Every change of the row prints it anew, so that whoever reads, lists or tells of payments
-- copies text: a page of a hundred costs the server a fifth of building it (docs/performance.md). Printing depends on
-- nothing but its arguments, though to_char and array_to_string are not declared so.
create function printed_payment(
  payment_id text, location_id text, status text, source_type text, created_at timestamptz, updated_at timestamptz,
  captured_at timestamptz, currency text, amount bigint, tip bigint, total bigint, app_fee bigint, fee bigint,
  refunded bigint, refund_ids text[], employee_id uuid, errors json, card_details json, details json
)
returns text
language plpgsql
immutable parallel safe
as $$
begin
  return '{"id":"' || payment_id
    || '","created_at":"' || to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    || '","updated_at":"' || to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"'
    || ',"amount_money":{"amount":' || amount || ',"currency":"' || currency || '"}'
    || coalesce(',"tip_money":{"amount":' || tip || ',"currency":"' || currency || '"}', '')
    || ',"total_money":{"amount":' || total || ',"currency":"' || currency || '"}'
    || coalesce(',"app_fee_money":{"amount":' || app_fee || ',"currency":"' || currency || '"}', '')
    || case when refunded > 0 then ',"refunded_money":{"amount":' || refunded || ',"currency":"' || currency || '"}' else '' end
    || ',"status":"' || status || '","source_type":"' || source_type || '","card_details":{"status":"'
    || case status when 'APPROVED' then 'AUTHORIZED' when 'COMPLETED' then 'CAPTURED' when 'CANCELED' then 'VOIDED' else status end
    || '"' || coalesce(',' || nullif(substr(card_details::text, 2, length(card_details::text) - 2), ''), '')
    || coalesce(',"errors":' || errors::text, '') || '},"location_id":"' || location_id || '"'
    || coalesce(',' || nullif(substr(details::text, 2, length(details::text) - 2), ''), '')
    || coalesce(',"employee_id":"' || employee_id || '"', '')
    || case when refund_ids = '{}' then '' else ',"refund_ids":["' || array_to_string(refund_ids, '","') || '"]' end
    -- The id begins with the time, so its end tells payments apart.
    || case when status in ('APPROVED', 'COMPLETED') then ',"receipt_number":"' || right(payment_id, 4) || '"' else '' end
    || case when status = 'COMPLETED' then ',"receipt_url":"https://squareup.com/receipt/preview/' || payment_id || '"' else '' end
    -- Last, since the answer to a create or complete leaves it out.
    || coalesce(
      ',"processing_fee":[{"effective_at":"'
      || to_char(captured_at at time zone 'UTC' + interval '2 hours', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"')
      || '","type":"INITIAL","amount_money":{"amount":' || fee || ',"currency":"' || currency || '"}}]',
      ''
    )
    || '}';
end
$$;

alter table payments
  add column shown text generated always as (
    case when source_type = 'CARD' then printed_payment(
      payment_id, location_id, status, source_type, created_at, updated_at, captured_at, currency, amount, tip, total,
      app_fee, fee, refunded, refund_ids, employee_id, errors, card_details, details
    ) end
  ) stored;

alter table refunds
  -- REVERSAL: a captured payment that was cancelled by its key; v1 shows it as a refund, v2 does not.
  add column origin text not null default 'API' check (origin in ('API', 'REGISTER', 'EXCHANGE', 'REVERSAL')),
  add column type text not null default 'PARTIAL' check (type in ('FULL', 'PARTIAL')),
  -- Of a refund over several tenders: its first record, with which the others are listed.
  add column leader_id text,
  -- What v1 says it is made of, in v1's words.
  add column breakdown json,
  add column employee_id uuid;

create index refunds_leader on refunds (merchant_id, leader_id) where leader_id is not null;

-- v2 lists what went back to cards; v1 lists all, those over several tenders by their first record.
drop index refunds_created, refunds_location, refunds_status;
create index refunds_created on refunds (merchant_id, created_at, refund_id)
  where source_type = 'CARD' and origin in ('API', 'REGISTER');
create index refunds_location on refunds (merchant_id, location_id, created_at, refund_id)
  where source_type = 'CARD' and origin in ('API', 'REGISTER');
create index refunds_status on refunds (merchant_id, status, created_at, refund_id)
  where source_type = 'CARD' and origin in ('API', 'REGISTER');
create index refunds_sales_created on refunds (merchant_id, created_at, refund_id) where leader_id is null;
create index refunds_sales_location on refunds (merchant_id, location_id, created_at, refund_id) where leader_id is null;

-- What v1 calls them: in full where all that was left went back at once.
update refunds
set type = 'FULL'
from payments p
where p.merchant_id = refunds.merchant_id and p.payment_id = refunds.payment_id and refunds.amount = p.total;

insert into refunds (
  merchant_id, refund_id, payment_id, location_id, status, source_type, created_at, updated_at, currency, amount,
  returned_fee, order_id, origin, type
)
select
  m.merchant_id, m.payment_id || '_' || m.movement_id, m.payment_id, m.location_id, 'COMPLETED', p.source_type,
  m.occurred_at, m.occurred_at, m.currency, -m.amount, m.fee, '', 'REVERSAL', 'FULL'
from movements m
join payments p using (merchant_id, payment_id)
where m.kind = 'REVERSAL';

update movements
set refund_id = payment_id || '_' || movement_id
where kind = 'REVERSAL';

-- Until now nothing but a tip could be in a refund besides its amount. The shares are counted from the sums before and
-- after, as base/money.ts counts them, so that they add up to the tip.
with stretches as (
  select
    r.merchant_id, r.refund_id, r.currency, p.tip::numeric as tip, p.total, r.amount,
    sum(r.amount) over (partition by r.merchant_id, r.payment_id order by r.created_at, r.refund_id) as upto
  from refunds r
  join payments p using (merchant_id, payment_id)
  where p.tip > 0 and r.status in ('PENDING', 'COMPLETED')
),
tips as (
  select
    merchant_id, refund_id, json_build_object('amount', 0, 'currency_code', currency) as nothing,
    json_build_object(
      'amount', (round(tip * (upto - amount) / total) - round(tip * upto / total))::bigint, 'currency_code', currency
    ) as tip
  from stretches
)
update refunds
set breakdown = json_build_object(
  'refunded_tax_money', nothing, 'refunded_additive_tax_money', nothing, 'refunded_additive_tax', '[]'::json,
  'refunded_inclusive_tax_money', nothing, 'refunded_inclusive_tax', '[]'::json, 'refunded_tip_money', tip,
  'refunded_discount_money', nothing, 'refunded_surcharge_money', nothing, 'refunded_surcharges', '[]'::json
)
from tips
where tips.merchant_id = refunds.merchant_id and tips.refund_id = refunds.refund_id;

-- Which payment or refund made an event of a sale.
alter table cash_drawer_events
  add column subject_id text;
