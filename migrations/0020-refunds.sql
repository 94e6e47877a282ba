-- Refunds of payments. A refund of several tenders of a sale has a row for each tender; the first row is the leader.

create table refunds (
  merchant_id text not null,
  refund_id text not null,
  payment_id text not null,
  location_id text not null,
  status text not null check (status in ('PENDING', 'COMPLETED', 'REJECTED', 'FAILED')),
  source_type text not null,
  -- EXCHANGE: goods for other goods. REVERSAL: a captured payment was canceled by its idempotency key. v1 shows both, v2
  -- neither.
  origin text not null check (origin in ('API', 'REGISTER', 'EXCHANGE', 'REVERSAL')),
  -- FULL: the whole remaining amount was refunded at once.
  type text not null check (type in ('FULL', 'PARTIAL')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  currency text not null,
  amount bigint not null check (amount > 0),
  -- The part of its own fee that the application returns.
  app_fee bigint,
  -- The part of the processor's fee that is returned.
  returned_fee bigint,
  order_id text not null,
  reason text,
  employee_id uuid,
  -- For a refund of several tenders: the first row, under which the others are listed.
  leader_id text,
  -- The refunded lines, taxes and tip: written once, read as a whole.
  breakdown json,
  primary key (merchant_id, refund_id),
  foreign key (merchant_id, payment_id) references payments
);

-- v2 listPaymentRefunds returns only refunds to cards. Each of its filters has an index. The additional columns let the
-- index scan skip rows that a range of the other time excludes.
create index refunds_created on refunds (merchant_id, created_at, refund_id, updated_at)
  where source_type = 'CARD' and origin in ('API', 'REGISTER');
create index refunds_location on refunds (merchant_id, location_id, created_at, refund_id, updated_at)
  where source_type = 'CARD' and origin in ('API', 'REGISTER');
create index refunds_status on refunds (merchant_id, status, created_at, refund_id, updated_at)
  where source_type = 'CARD' and origin in ('API', 'REGISTER');
-- The same list by the time of the last change, for clients that synchronize.
create index refunds_updated on refunds (merchant_id, updated_at, refund_id, created_at, location_id, status)
  where source_type = 'CARD' and origin in ('API', 'REGISTER');
-- v1 lists all refunds. A refund of several tenders is listed by its first row.
create index refunds_sales_created on refunds (merchant_id, created_at, refund_id) where leader_id is null;
create index refunds_sales_location on refunds (merchant_id, location_id, created_at, refund_id) where leader_id is null;
-- The other rows of a refund of several tenders.
create index refunds_leader on refunds (merchant_id, leader_id) where leader_id is not null;
-- The refunds of a payment.
create index refunds_payment on refunds (merchant_id, payment_id);

-- The JSON of a refund in v2 events.
create function printed_refund(refund refunds) returns text
language sql stable parallel safe
return '{"id":"' || refund.refund_id || '","status":"' || refund.status || '","location_id":"' || refund.location_id
  || '","amount_money":{"amount":' || refund.amount || ',"currency":"' || refund.currency || '"}'
  || coalesce(',"app_fee_money":{"amount":' || refund.app_fee || ',"currency":"' || refund.currency || '"}', '')
  || coalesce(
    ',"processing_fee":[{"effective_at":"'
    || to_char(date_trunc('second', refund.updated_at at time zone 'UTC'), 'YYYY-MM-DD"T"HH24:MI:SS".000Z"')
    || '","type":"INITIAL","amount_money":{"amount":' || -refund.returned_fee || ',"currency":"' || refund.currency
    || '"}}]',
    ''
  )
  || ',"payment_id":"' || refund.payment_id || '","order_id":"' || refund.order_id || '"'
  || coalesce(',"reason":' || to_json(refund.reason)::text, '')
  || ',"source_type":"' || refund.source_type
  || '","created_at":"' || to_char(refund.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  || '","updated_at":"' || to_char(refund.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"}';
