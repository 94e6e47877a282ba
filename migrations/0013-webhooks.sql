-- Applications hear what happened: who wants to hear what, the events that somebody wanted, and every attempt to tell them.

-- Where an application is told. Looked up by application before the merchant is known, so keyed by its own id.
create table webhook_subscriptions (
  subscription_id text primary key,
  application_id text not null references applications,
  -- Made with a token, it hears of the token's merchant only; null: of every merchant that allows the application.
  merchant_id text,
  -- v1: the one address of the application, where merchants' settings say what is sent (v1_webhooks).
  generation text not null check (generation in ('v1', 'v2')),
  name text not null,
  enabled boolean not null,
  event_types text[] not null,
  notification_url text not null,
  api_version text not null,
  -- Kept as it is, since every body is signed with it.
  signature_key text not null,
  -- What it was made with, and what its key was last renewed with: the same request again changes nothing.
  idempotency_key text,
  request_hash bytea,
  rotation_key text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint webhook_subscriptions_v1 check (generation = 'v2' or event_types = '{}')
);

create index webhook_subscriptions_merchant on webhook_subscriptions (merchant_id) where merchant_id is not null;
create index webhook_subscriptions_application on webhook_subscriptions (application_id, created_at, subscription_id);
create unique index webhook_subscriptions_address on webhook_subscriptions (application_id) where generation = 'v1';
create unique index webhook_subscriptions_key on webhook_subscriptions
  (application_id, coalesce(merchant_id, ''), idempotency_key) where idempotency_key is not null;

-- What an application hears of a location in the first generation; `me` stands for all of them.
create table v1_webhooks (
  merchant_id text not null references merchants,
  application_id text not null references applications,
  location_id text not null,
  event_types text[] not null,
  primary key (merchant_id, application_id, location_id)
);

-- Written in the commit of what it tells, and only where a subscription wants it.
create table webhook_events (
  merchant_id text not null,
  event_id uuid not null,
  kind text not null,
  entity_id text not null,
  -- What is sent, byte by byte: both signatures are made of it.
  body text not null,
  -- In real time, as everything about telling (decision 0040).
  created_at timestamptz not null,
  primary key (merchant_id, event_id)
);

create index webhook_events_created on webhook_events (merchant_id, created_at, event_id);

create table webhook_deliveries (
  merchant_id text not null,
  delivery_id uuid not null,
  event_id uuid not null,
  subscription_id text not null,
  entity_id text not null,
  state text not null check (state in ('WAITING', 'DELIVERED', 'GIVEN_UP')),
  -- When it is tried next; while it is being tried, when somebody else may take it up.
  run_at timestamptz,
  -- In all, and of those the ones that failed since it was begun, or asked for again.
  attempts integer not null default 0,
  failures integer not null default 0,
  retry_reason text,
  first_tried_at timestamptz,
  created_at timestamptz not null,
  -- The order in which things happened to an entity.
  ordinal bigint not null generated always as identity,
  primary key (merchant_id, delivery_id),
  foreign key (merchant_id, event_id) references webhook_events,
  constraint webhook_deliveries_waiting check ((state = 'WAITING') = (run_at is not null)),
  constraint webhook_deliveries_attempts check (failures between 0 and attempts)
);

create index webhook_deliveries_created on webhook_deliveries (merchant_id, created_at, delivery_id);
-- What nobody tried yet holds back what happened to the same entity later.
create index webhook_deliveries_untried on webhook_deliveries (merchant_id, subscription_id, entity_id, ordinal)
  where state = 'WAITING' and attempts = 0;
-- Begins with the receiver, not with the merchant: it finds who is to be told something now.
create index webhook_deliveries_run on webhook_deliveries (subscription_id, run_at, ordinal) where run_at is not null;

create table webhook_attempts (
  merchant_id text not null,
  delivery_id uuid not null,
  number integer not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  -- What the receiver answered, if it did, and its first bytes.
  status integer,
  failure text check (failure in ('http_timeout', 'http_error', 'ssl_error', 'other_error')),
  answer text not null,
  primary key (merchant_id, delivery_id, number)
);

-- A refund as v2 shows it: what is told of it.
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
