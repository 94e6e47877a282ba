-- Payments: each is one movement of money from one source, which v2 calls a payment and v1 a tender of a sale.

-- A payment as v2 shows it. Every change of a row prints it again, so that reading, listing and notifying copy text: a page of
-- a hundred costs the server a fifth of building it (docs/performance.md). The result depends on nothing but the arguments,
-- though to_char and array_to_string are not declared immutable.
create function printed_payment(
  payment_id text, location_id text, status text, source_type text, created_at timestamptz, updated_at timestamptz,
  captured_at timestamptz, currency text, amount bigint, tip bigint, total bigint, app_fee bigint, fee bigint,
  refunded bigint, refund_ids text[], employee_id uuid, errors json, card_details json, details json, reversed_fee bigint,
  reversed_at timestamptz
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
      || '","type":"INITIAL","amount_money":{"amount":' || fee || ',"currency":"' || currency || '"}}'
      -- Negative: it comes back to the seller.
      || case when reversed_fee > 0 then
        ',{"effective_at":"' || to_char(reversed_at at time zone 'UTC' + interval '2 hours', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"')
        || '","type":"ADJUSTMENT","amount_money":{"amount":' || -reversed_fee || ',"currency":"' || currency || '"}}'
      else '' end
      || ']',
      ''
    )
    || '}';
end
$$;

create table payments (
  merchant_id text not null,
  payment_id text not null,
  -- An API payment has a sale of its own, with the same id, once it is captured.
  sale_id text not null,
  location_id text not null,
  -- The kind of its sale.
  channel text not null check (channel in ('API', 'REGISTER', 'ONLINE_STORE')),
  -- API: the application that made it.
  application_id text,
  -- PENDING: the processor was asked and its answer is not known; nobody sees the payment (decision 0031).
  status text not null check (status in ('PENDING', 'APPROVED', 'COMPLETED', 'CANCELED', 'FAILED')),
  source_type text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  captured_at timestamptz,
  -- When an approved payment is voided.
  delayed_until timestamptz,
  currency text not null,
  amount bigint not null check (amount >= 0),
  tip bigint check (tip >= 0),
  total bigint not null,
  app_fee bigint check (app_fee >= 0),
  -- The processor's fee, once it is captured.
  fee bigint,
  -- Reserved by refunds that are pending or completed; the rest can be refunded.
  refunded bigint not null default 0,
  -- The value of its goods that went into another sale: no longer refundable, but not refunded.
  exchanged bigint not null default 0,
  -- Given back for good: completed refunds and a reversal.
  returned bigint not null default 0,
  refund_ids text[] not null default '{}',
  -- A refund that failed blocks further ones (decision 0029).
  refunds_blocked boolean not null default false,
  -- The part of the processor's fee that came back when a captured payment was cancelled by its key (decision 0028), and when.
  reversed_fee bigint not null default 0 check (reversed_fee >= 0),
  reversed_at timestamptz,
  -- REGISTER: who took it, and the register's own id for it.
  employee_id uuid,
  register_tender_id text,
  -- The cash that was handed over; the change is what is above the total.
  tendered bigint,
  -- The name of an OTHER tender.
  tender_name text,
  -- It is the value of goods that were returned, not money.
  is_exchange boolean not null default false,
  -- The drawer that its cash is in; null where that shift was closed already.
  drawer_shift_id uuid,
  -- How the card was read, in v1's words; null: on a page.
  entry_method text,
  card_brand text,
  last_4 text,
  -- The card, what the application said about the payment, and why it was declined, in v2's words: written once, read as a whole.
  card_details json,
  details json not null,
  errors json,
  shown text generated always as (
    case when source_type = 'CARD' then printed_payment(
      payment_id, location_id, status, source_type, created_at, updated_at, captured_at, currency, amount, tip, total,
      app_fee, fee, refunded, refund_ids, employee_id, errors, card_details, details, reversed_fee, reversed_at
    ) end
  ) stored,
  primary key (merchant_id, payment_id),
  constraint payments_source check (source_type in ('CARD', 'CASH', 'OTHER')),
  constraint payments_application check ((application_id is not null) = (channel = 'API')),
  constraint payments_register check (
    num_nonnulls(employee_id, register_tender_id) = case channel when 'REGISTER' then 2 else 0 end
  ),
  -- Only a register takes cash and other tenders.
  constraint payments_by_hand check (channel = 'REGISTER' or (source_type = 'CARD' and drawer_shift_id is null)),
  constraint payments_total check (total = amount + coalesce(tip, 0)),
  constraint payments_app_fee check (coalesce(app_fee, 0) <= total),
  constraint payments_tendered check (tendered >= total),
  constraint payments_refunded check (refunded >= 0 and exchanged >= 0 and refunded + exchanged <= total),
  constraint payments_returned check (returned between 0 and total),
  constraint payments_reversed check (reversed_at is not null or reversed_fee = 0)
);

-- v2 lists cards only (decision 0025): each filter of listPayments has an index. The columns behind the key let the index itself
-- skip what a range of the other time excludes.
create index payments_created on payments (merchant_id, created_at, payment_id, updated_at) where source_type = 'CARD';
create index payments_location on payments (merchant_id, location_id, created_at, payment_id, updated_at)
  where source_type = 'CARD';
create index payments_total on payments (merchant_id, total, created_at, payment_id, updated_at) where source_type = 'CARD';
create index payments_last_4 on payments (merchant_id, last_4, created_at, payment_id, updated_at)
  where source_type = 'CARD';
create index payments_card_brand on payments (merchant_id, card_brand, created_at, payment_id, updated_at)
  where source_type = 'CARD';
-- The same list by the time of the last change, for programs that sync.
create index payments_updated on payments
  (merchant_id, updated_at, payment_id, created_at, location_id, total, last_4, card_brand) where source_type = 'CARD';
-- A register sends each tender once; the tenders of a register's sale.
create unique index payments_register_id on payments (merchant_id, sale_id, register_tender_id)
  where channel = 'REGISTER';
-- An order is paid, or declined, once; the payment of an order.
create unique index payments_online_store on payments (merchant_id, sale_id) where channel = 'ONLINE_STORE';

-- A call to the processor whose outcome is not known: written before the call, removed with the outcome. A worker asks again
-- with the same key. A payment has one call in flight at most.
create table processor_calls (
  merchant_id text not null,
  payment_id text not null,
  action text not null check (action in ('CREATE', 'COMPLETE', 'CANCEL')),
  -- What a CREATE asks for; never a card number.
  request json,
  -- Cancelled by its key before the outcome was known (decision 0028).
  cancel_after boolean not null default false,
  -- In real time: when a worker asks again, and until when one that took it asks.
  retry_at timestamptz not null,
  taken_until timestamptz,
  primary key (merchant_id, payment_id)
);

-- Does not begin with the merchant: finds the merchants with calls to make again.
create index processor_calls_retry on processor_calls (retry_at);
