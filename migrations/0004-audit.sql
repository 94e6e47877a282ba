-- The audit log: security events, for the owner and for the operator (decision 0120).

create table audit_events (
  -- Empty if the merchant is unknown. Not null, because it is the first column of the key.
  merchant_id text not null,
  audit_event_id text not null,
  occurred_at timestamptz not null,
  kind text not null,
  address text,
  account_id uuid,
  application_id text,
  employee_id uuid,
  device_id text,
  -- The number of equal events that this row stands for.
  occurrences integer not null check (occurrences > 0),
  -- Related ids and names; never a secret.
  details jsonb not null,
  primary key (merchant_id, audit_event_id)
);

-- The list of one merchant.
create index audit_events_merchant on audit_events (merchant_id, occurred_at, audit_event_id);
-- The operator's list and retention, which both read all merchants.
create index audit_events_time on audit_events (occurred_at, audit_event_id);
