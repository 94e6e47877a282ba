-- Webhooks: subscriptions, the events that a subscription wanted, and every attempt to deliver them.

-- Where an application is notified. Found by application before the merchant is known, so keyed by its own id.
create table webhook_subscriptions (
  subscription_id text primary key,
  application_id text not null references applications,
  -- Made with a token, it is about the token's merchant only; null: about every merchant that allows the application.
  merchant_id text,
  -- The authorization or the personal token that it was made with, and ends with.
  authorization_id text,
  token_hash bytea,
  -- v1: the one address of the application; what is sent there is in v1_webhooks.
  generation text not null check (generation in ('v1', 'v2')),
  name text not null,
  enabled boolean not null,
  event_types text[] not null,
  notification_url text not null,
  api_version text not null,
  -- Stored as it is, since every body is signed with it.
  signature_key text not null,
  -- The key that it was made with and the key of its last rotation: the same request again changes nothing.
  idempotency_key text,
  request_hash bytea,
  rotation_key text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint webhook_subscriptions_v1 check (generation = 'v2' or event_types = '{}')
);

-- Who listens to a merchant: asked by every statement that records an event.
create index webhook_subscriptions_merchant on webhook_subscriptions (merchant_id) where merchant_id is not null;
-- The list of an application.
create index webhook_subscriptions_application on webhook_subscriptions (application_id, created_at, subscription_id);
-- An application has one address of the first generation.
create unique index webhook_subscriptions_address on webhook_subscriptions (application_id) where generation = 'v1';
-- Keys are told apart by what the subscription was made with, so that an ended one holds none.
create unique index webhook_subscriptions_key on webhook_subscriptions (
  application_id, coalesce(merchant_id, ''), coalesce(authorization_id, encode(token_hash, 'hex'), ''), idempotency_key
) where idempotency_key is not null;

-- What an application is notified of at a location in the first generation; `me` stands for all locations.
create table v1_webhooks (
  merchant_id text not null references merchants,
  application_id text not null references applications,
  location_id text not null,
  event_types text[] not null,
  primary key (merchant_id, application_id, location_id)
);

-- Written in the commit that causes the event, and only where a subscription wants it.
create table webhook_events (
  merchant_id text not null,
  event_id uuid not null,
  kind text not null,
  entity_id text not null,
  -- The bytes that are sent: both signatures are computed from them.
  body text not null,
  -- In real time, as everything about deliveries (decision 0040).
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
  -- When it is tried next.
  run_at timestamptz,
  -- The worker that tries it has it until then. No index has this column, and pages keep room for a second version of their
  -- rows, so that taking a delivery is an update in place.
  taken_until timestamptz,
  -- All attempts, and those of them that failed since it was made or replayed.
  attempts integer not null default 0,
  failures integer not null default 0,
  retry_reason text,
  first_tried_at timestamptz,
  -- The fault rule that was injected and its effect, as the requests say; at most one is.
  fault text,
  created_at timestamptz not null,
  -- The order in which things happened to an entity.
  ordinal bigint not null generated always as identity,
  primary key (merchant_id, delivery_id),
  foreign key (merchant_id, event_id) references webhook_events,
  constraint webhook_deliveries_waiting check ((state = 'WAITING') = (run_at is not null)),
  constraint webhook_deliveries_taken check (taken_until is null or state = 'WAITING'),
  constraint webhook_deliveries_attempts check (failures between 0 and attempts)
)
with (fillfactor = 50);

-- The list of a merchant's deliveries.
create index webhook_deliveries_created on webhook_deliveries (merchant_id, created_at, delivery_id);
-- A delivery that was never tried holds back what happened to the same entity later.
create index webhook_deliveries_untried on webhook_deliveries (merchant_id, subscription_id, entity_id, ordinal)
  where state = 'WAITING' and attempts = 0;
-- Begins with the receiver, not with the merchant: finds the receivers with something due.
create index webhook_deliveries_run on webhook_deliveries (subscription_id, run_at, ordinal) where run_at is not null;
-- The deliveries of an event, when retention removes it.
create index webhook_deliveries_event on webhook_deliveries (merchant_id, event_id);

create table webhook_attempts (
  merchant_id text not null,
  delivery_id uuid not null,
  number integer not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  -- The status that the receiver answered, if it did, and the first bytes of its answer.
  status integer,
  failure text check (failure in ('http_timeout', 'http_error', 'ssl_error', 'other_error')),
  answer text not null,
  primary key (merchant_id, delivery_id, number)
);
