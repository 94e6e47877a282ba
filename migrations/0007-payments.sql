-- Money coming in: sales, the payments that pay them, the refunds that give back, and what the merchant is owed for it.

-- What v1 calls a payment. An API payment is a sale with one payment, and the two share an id.
create table sales (
  merchant_id text not null,
  sale_id text not null,
  location_id text not null,
  -- When it was captured: where v1 lists it (decision 0026).
  created_at timestamptz not null,
  primary key (merchant_id, sale_id)
);

create index sales_created on sales (merchant_id, location_id, created_at, sale_id);

-- One movement of money from one source: a v2 payment, a v1 tender.
create table payments (
  merchant_id text not null,
  payment_id text not null,
  sale_id text not null,
  location_id text not null,
  application_id text not null,
  -- PENDING: the processor was asked and its answer is not known; nobody sees it.
  status text not null check (status in ('PENDING', 'APPROVED', 'COMPLETED', 'CANCELED', 'FAILED')),
  source_type text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  captured_at timestamptz,
  -- Until when an approved payment waits before it is voided.
  delayed_until timestamptz,
  currency text not null,
  amount bigint not null check (amount >= 0),
  tip bigint check (tip >= 0),
  total bigint not null,
  app_fee bigint check (app_fee >= 0),
  -- What the processor keeps once it is captured.
  fee bigint,
  -- Reserved by refunds that are pending or completed; what is left can be refunded.
  refunded bigint not null default 0,
  -- Given back for good: completed refunds and a reversal.
  returned bigint not null default 0,
  refund_ids text[] not null default '{}',
  -- A refund that failed blocks further ones (decision 0029).
  refunds_blocked boolean not null default false,
  card_brand text,
  last_4 text,
  -- Written once, read as a whole: the card, and what the application said about the payment.
  card json,
  details json not null,
  errors json,
  primary key (merchant_id, payment_id),
  constraint payments_total check (total = amount + coalesce(tip, 0)),
  constraint payments_refunded check (refunded between 0 and total),
  constraint payments_returned check (returned between 0 and total),
  constraint payments_app_fee check (coalesce(app_fee, 0) <= total)
);

create index payments_created on payments (merchant_id, created_at, payment_id);
create index payments_location on payments (merchant_id, location_id, created_at, payment_id);
create index payments_total on payments (merchant_id, total, created_at, payment_id);
create index payments_last_4 on payments (merchant_id, last_4, created_at, payment_id);
create index payments_card_brand on payments (merchant_id, card_brand, created_at, payment_id);

-- Decision 0027: a key belongs to a merchant, an application and an operation, and lives as long as what it made.
create table idempotency_keys (
  merchant_id text not null,
  application_id text not null,
  operation text not null,
  key text not null,
  request_hash bytea not null,
  -- The payment or the refund that was made.
  made_id text not null,
  primary key (merchant_id, application_id, operation, key)
);

create table refunds (
  merchant_id text not null,
  refund_id text not null,
  payment_id text not null,
  location_id text not null,
  status text not null check (status in ('PENDING', 'COMPLETED', 'REJECTED', 'FAILED')),
  source_type text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  currency text not null,
  amount bigint not null check (amount > 0),
  -- What the application gives back of its own fee.
  app_fee bigint,
  -- The share of the processor's fee that came back with it.
  returned_fee bigint,
  order_id text not null,
  reason text,
  primary key (merchant_id, refund_id),
  foreign key (merchant_id, payment_id) references payments
);

create index refunds_created on refunds (merchant_id, created_at, refund_id);
create index refunds_location on refunds (merchant_id, location_id, created_at, refund_id);
create index refunds_status on refunds (merchant_id, status, created_at, refund_id);
create index refunds_payment on refunds (merchant_id, payment_id);

-- Append-only and signed: what the merchant is owed. Settlements will be made of these.
create table movements (
  merchant_id text not null,
  movement_id text not null,
  location_id text not null,
  payment_id text not null,
  refund_id text,
  kind text not null check (kind in ('CHARGE', 'REFUND', 'REVERSAL')),
  currency text not null,
  -- Before fees; a charge is positive, what goes back to the buyer negative.
  amount bigint not null,
  -- The processor's and the application's fees: negative where they are taken, positive where they come back.
  fee bigint not null,
  occurred_at timestamptz not null,
  primary key (merchant_id, movement_id)
);

create index movements_payment on movements (merchant_id, payment_id);

-- What is to be done later, by the merchant's clock (decision 0041).
create table due_work (
  merchant_id text not null,
  kind text not null,
  subject_id text not null,
  due_at timestamptz not null,
  -- The same moment in real time; null while the clock stands still.
  run_at timestamptz,
  primary key (merchant_id, kind, subject_id)
);

create index due_work_merchant on due_work (merchant_id, due_at);
-- The one index that does not begin with the merchant: it finds the merchants that have something to do.
create index due_work_run on due_work (run_at) where run_at is not null;
