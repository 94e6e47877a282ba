-- The audit log: security events, for the owner and for the operator (decision 0120).

create table audit_events (
  -- Empty where no merchant is known, so that it can be the first column of the key.
  merchant_id text not null,
  audit_event_id text not null,
  occurred_at timestamptz not null,
  kind text not null,
  address text,
  account_id uuid,
  application_id text,
  employee_id uuid,
  device_id text,
  -- How many equal events this row counts.
  occurrences integer not null check (occurrences > 0),
  -- Ids and names that say more; never a secret.
  details jsonb not null,
  primary key (merchant_id, audit_event_id)
);

-- The list of one merchant.
create index audit_events_merchant on audit_events (merchant_id, occurred_at, audit_event_id);
-- The operator's list, and retention: both go over all merchants.
create index audit_events_time on audit_events (occurred_at, audit_event_id);
