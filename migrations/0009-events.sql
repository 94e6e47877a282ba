-- Webhooks: subscriptions, events with at least one subscriber, deliveries, and all attempts to deliver.

-- Looked up by application before the merchant is known, so keyed by its own id.
create table webhook_subscriptions (
  subscription_id text primary key,
  application_id text not null references applications,
  -- A subscription that was created with a token is limited to the token's merchant. Null means all merchants that
  -- authorized the application.
  merchant_id text,
  -- The authorization or the personal token with which it was created. The subscription ends with it.
  authorization_id text,
  token_hash bytea,
  -- v1: the single URL of the application. Its event types are in v1_webhooks.
  generation text not null check (generation in ('v1', 'v2')),
  name text not null,
  enabled boolean not null,
  event_types text[] not null,
  notification_url text not null,
  api_version text not null,
  -- Stored in plain text, because each body is signed with it.
  signature_key text not null,
  -- The idempotency keys of the creation and of the last rotation of the signature key. Retries have no further effect.
  idempotency_key text,
  request_hash bytea,
  rotation_key text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint webhook_subscriptions_v1 check (generation = 'v2' or event_types = '{}')
);

-- Subscriptions to the events of a merchant. Read by every statement that records an event.
create index webhook_subscriptions_merchant on webhook_subscriptions (merchant_id) where merchant_id is not null;
-- Lists the subscriptions of an application.
create index webhook_subscriptions_application on webhook_subscriptions (application_id, created_at, subscription_id);
-- An application has one v1 URL.
create unique index webhook_subscriptions_address on webhook_subscriptions (application_id) where generation = 'v1';
-- The scope of an idempotency key is the credential with which the subscription was created, so that a new credential can
-- use the key of an ended subscription.
create unique index webhook_subscriptions_key on webhook_subscriptions (
  application_id, coalesce(merchant_id, ''), coalesce(authorization_id, encode(token_hash, 'hex'), ''), idempotency_key
) where idempotency_key is not null;

-- The v1 event types that an application wants from a location. `me` stands for all locations.
create table v1_webhooks (
  merchant_id text not null references merchants,
  application_id text not null references applications,
  location_id text not null,
  event_types text[] not null,
  primary key (merchant_id, application_id, location_id)
);

-- Inserted in the transaction that causes the event, and only if there is a subscription for it.
create table webhook_events (
  merchant_id text not null,
  event_id uuid not null,
  kind text not null,
  entity_id text not null,
  -- The bytes that are sent. Both signatures are computed from them.
  body text not null,
  -- Deliveries use real time (decision 0040).
  created_at timestamptz not null,
  primary key (merchant_id, event_id)
);

-- Retention of one merchant's events.
create index webhook_events_created on webhook_events (merchant_id, created_at, event_id);
-- Retention: finds the merchants with old events (decision 0078).
create index webhook_events_old on webhook_events (created_at);

create table webhook_deliveries (
  merchant_id text not null,
  delivery_id uuid not null,
  event_id uuid not null,
  subscription_id text not null,
  entity_id text not null,
  state text not null check (state in ('WAITING', 'DELIVERED', 'GIVEN_UP')),
  -- The time of the next attempt.
  run_at timestamptz,
  -- The end of the lease of the worker that claimed the delivery. No index has this column, and the fillfactor leaves room
  -- for a second version of each row, so that a claim is a heap-only (HOT) update.
  leased_until timestamptz,
  -- The number of attempts, and of failed attempts since the delivery was created or resent.
  attempts integer not null default 0,
  failures integer not null default 0,
  retry_reason text,
  first_tried_at timestamptz,
  -- The injected fault, if any: the rule and its effect, in the format of the sandbox requests.
  fault text,
  created_at timestamptz not null,
  -- The order of the events of an entity.
  ordinal bigint not null generated always as identity,
  primary key (merchant_id, delivery_id),
  foreign key (merchant_id, event_id) references webhook_events,
  constraint webhook_deliveries_waiting check ((state = 'WAITING') = (run_at is not null)),
  constraint webhook_deliveries_leased check (leased_until is null or state = 'WAITING'),
  constraint webhook_deliveries_attempts check (failures between 0 and attempts)
)
with (fillfactor = 50);

-- Lists the deliveries of a merchant.
create index webhook_deliveries_created on webhook_deliveries (merchant_id, created_at, delivery_id);
-- A delivery without an attempt blocks later deliveries of the same entity, which keeps them in order.
create index webhook_deliveries_untried on webhook_deliveries (merchant_id, subscription_id, entity_id, ordinal)
  where state = 'WAITING' and attempts = 0;
-- Finds the receivers with due deliveries, so it begins with the subscription, not with the merchant.
create index webhook_deliveries_run on webhook_deliveries (subscription_id, run_at, ordinal) where run_at is not null;
-- Finds the deliveries of an event that retention deletes.
create index webhook_deliveries_event on webhook_deliveries (merchant_id, event_id);

create table webhook_attempts (
  merchant_id text not null,
  delivery_id uuid not null,
  number integer not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  -- The status of the receiver's response, null without a response. `response` has the first bytes of its body.
  status integer,
  failure text check (failure in ('http_timeout', 'http_error', 'ssl_error', 'other_error')),
  response text not null,
  primary key (merchant_id, delivery_id, number)
);
