-- Payments: money taken once from one source. v2 calls it a payment, v1 a tender of a sale.

-- The v2 JSON of a payment. It is generated again whenever a row changes, so that reads, lists and events only copy text: a
-- page of 100 payments costs the server a fifth of the time that it takes to build the JSON (docs/performance.md). The
-- result depends only on the arguments, although to_char and array_to_string are not declared immutable.
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
    -- The end of the id, because ids begin with the time and their beginnings are alike.
    || case when status in ('APPROVED', 'COMPLETED') then ',"receipt_number":"' || right(payment_id, 4) || '"' else '' end
    || case when status = 'COMPLETED' then ',"receipt_url":"https://squareup.com/receipt/preview/' || payment_id || '"' else '' end
    -- Last, because the responses of createPayment and completePayment omit it.
    || coalesce(
      ',"processing_fee":[{"effective_at":"'
      || to_char(captured_at at time zone 'UTC' + interval '2 hours', 'YYYY-MM-DD"T"HH24:MI:SS".000Z"')
      || '","type":"INITIAL","amount_money":{"amount":' || fee || ',"currency":"' || currency || '"}}'
      -- Negative, because the fee is returned to the seller.
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
  -- A captured API payment has its own sale, with the same id.
  sale_id text not null,
  location_id text not null,
  -- Equal to the kind of the sale.
  channel text not null check (channel in ('API', 'REGISTER', 'ONLINE_STORE')),
  -- API: the application that created the payment.
  application_id text,
  -- PENDING: the outcome of the processor call is unknown. Such payments are hidden (decision 0031).
  status text not null check (status in ('PENDING', 'APPROVED', 'COMPLETED', 'CANCELED', 'FAILED')),
  source_type text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  captured_at timestamptz,
  -- The time at which an approved payment is voided.
  delayed_until timestamptz,
  currency text not null,
  amount bigint not null check (amount >= 0),
  tip bigint check (tip >= 0),
  total bigint not null,
  app_fee bigint check (app_fee >= 0),
  -- The processor's fee. Null until the payment is captured.
  fee bigint,
  -- Reserved by pending and completed refunds. The rest can be refunded.
  refunded bigint not null default 0,
  -- The value of returned goods that paid for another sale: not refunded, but no longer refundable.
  exchanged bigint not null default 0,
  -- The money that was returned: completed refunds and a reversal.
  returned bigint not null default 0,
  refund_ids text[] not null default '{}',
  -- A failed refund blocks further refunds (decision 0029).
  refunds_blocked boolean not null default false,
  -- The part of the processor's fee that was returned when a captured payment was canceled by its idempotency key
  -- (decision 0028), and the time.
  reversed_fee bigint not null default 0 check (reversed_fee >= 0),
  reversed_at timestamptz,
  -- REGISTER: the employee who took the payment, and the id that the register created.
  employee_id uuid,
  register_tender_id text,
  -- The cash that the buyer handed over. The change is the difference to the total.
  tendered bigint,
  -- The name of an OTHER tender.
  tender_name text,
  -- Whether this is the value of returned goods, not money.
  is_exchange boolean not null default false,
  -- The cash drawer shift that recorded the payment. Null if no open shift did.
  drawer_shift_id uuid,
  -- How the card was read, as v1 shows it. Null if it was entered on a page.
  entry_method text,
  card_brand text,
  last_4 text,
  -- The card, the fields that the application sent, and the errors of a decline, in the v2 format: written once, read as a
  -- whole.
  card_details json,
  details json not null,
  errors json,
  v2_json text generated always as (
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

-- v2 listPayments returns only card payments (decision 0025). Each of its filters has an index. The additional columns let
-- the index scan skip rows that a range of the other time excludes.
create index payments_created on payments (merchant_id, created_at, payment_id, updated_at) where source_type = 'CARD';
create index payments_location on payments (merchant_id, location_id, created_at, payment_id, updated_at)
  where source_type = 'CARD';
create index payments_total on payments (merchant_id, total, created_at, payment_id, updated_at) where source_type = 'CARD';
create index payments_last_4 on payments (merchant_id, last_4, created_at, payment_id, updated_at)
  where source_type = 'CARD';
create index payments_card_brand on payments (merchant_id, card_brand, created_at, payment_id, updated_at)
  where source_type = 'CARD';
-- The same list by the time of the last change, for clients that synchronize.
create index payments_updated on payments
  (merchant_id, updated_at, payment_id, created_at, location_id, total, last_4, card_brand) where source_type = 'CARD';
-- A register can create each tender only once. Also finds the tenders of a register sale.
create unique index payments_register_id on payments (merchant_id, sale_id, register_tender_id)
  where channel = 'REGISTER';
-- An order has at most one payment, captured or declined. Also finds the payment of an order.
create unique index payments_online_store on payments (merchant_id, sale_id) where channel = 'ONLINE_STORE';

-- Processor calls whose outcome is unknown. A row is inserted before the call and deleted when the outcome is recorded. A
-- worker retries the call with the same idempotency key. A payment has at most one call in flight.
create table processor_calls (
  merchant_id text not null,
  payment_id text not null,
  action text not null check (action in ('CREATE', 'COMPLETE', 'CANCEL')),
  -- The request of a CREATE; never a card number.
  request json,
  -- Whether the payment was canceled by its idempotency key before the outcome was known (decision 0028).
  cancel_after boolean not null default false,
  -- In real time: the time of the next retry, and the end of a worker's lease.
  retry_at timestamptz not null,
  leased_until timestamptz,
  primary key (merchant_id, payment_id)
);

-- Finds the merchants with calls to retry, so it does not begin with the merchant.
create index processor_calls_retry on processor_calls (retry_at);
