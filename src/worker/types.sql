-- The types of worker/functions.sql.

-- A kind of work of a merchant, and when the next of it can be done; null: there is none.
create type due_subject as (
  kind text,
  -- Only for deliveries.
  subscription_id text,
  due_at timestamptz
);

create type due_merchant as (
  merchant_id text,
  due_at timestamptz
);
