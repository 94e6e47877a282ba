-- The types of events/functions.sql.

-- A change of a record that applications may be notified of.
create type event_change as (
  location_id text,
  -- The only application to notify; null: any.
  application_id text,
  kind text,
  entity_id text,
  happened_at timestamptz,
  -- The record as v2 JSON. Null for a v1 event and for a test, which have no content.
  object text
);

-- A subscription that may receive events of a merchant, with its permissions for that merchant.
create type eligible_subscription as (
  subscription_id text,
  application_id text,
  generation text,
  enabled boolean,
  event_types text[],
  permissions text[]
);

-- A kind of event that a subscription wants from a location; null: from all.
create type wanted_kind as (
  subscription_id text,
  application_id text,
  kind text,
  location_id text
);

-- A change that at least one subscription wants.
create type wanted_event as (
  event_id uuid,
  kind text,
  entity_id text,
  body text,
  subscription_ids text[]
);

-- An attempt to deliver a message.
create type delivery_attempt as (
  delivery_id uuid,
  -- The end of the lease of the attempt, which identifies the claim.
  leased_until timestamptz,
  -- The first attempt of the delivery.
  first_tried_at timestamptz,
  started_at timestamptz,
  duration_ms integer,
  status integer,
  failure text,
  response text,
  -- The time of the next attempt after a failure; null: none.
  retry_at timestamptz
);

-- A delivery that a worker has claimed, with what it has to send.
create type claimed_delivery as (
  delivery_id uuid,
  failures integer,
  retry_reason text,
  first_tried_at timestamptz,
  fault text,
  ordinal bigint,
  kind text,
  body text,
  notification_url text,
  signature_key text,
  -- Whether the application still has the permission that this kind of event requires.
  is_allowed boolean,
  -- The servers that watch the merchant's changes; null if nobody has watched it.
  watchers jsonb
);

-- A subscription with deliveries of a merchant that wait, and when the next one can be claimed.
create type waiting_receiver as (
  subscription_id text,
  due_at timestamptz
);
