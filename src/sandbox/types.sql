-- The types of sandbox/functions.sql.

-- A fault for a delivery.
create type injected_fault as (
  delivery_id uuid,
  rule_id text,
  -- The rule and its effect, as they are stored with the delivery.
  fault text,
  -- When the message is sent. Null: it is sent now, and a second time.
  run_at timestamptz
);
