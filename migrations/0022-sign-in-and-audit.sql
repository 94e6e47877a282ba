-- The mode of the database, what is known of each session, and the audit log of security events.

-- One row at most: the mode in which servers may open this database (decision 0104).
create table database_mode (
  is_only_row boolean primary key default true check (is_only_row),
  mode text not null check (mode in ('sandbox', 'production')),
  recorded_at timestamptz not null
);

-- When the password was last given in a session, when the session was last used, and from where it was begun.
-- All are null in sessions of earlier versions: such a session counts as confirmed when it was begun.
alter table sessions add column confirmed_at timestamptz;
alter table sessions add column last_used_at timestamptz;
alter table sessions add column address text;
alter table sessions add column user_agent text;

-- Security events (decision 0120). The merchant is empty where none is known, so that it can stand first in every key.
create table audit_events (
  merchant_id text not null,
  audit_event_id text not null,
  occurred_at timestamptz not null,
  kind text not null,
  address text,
  account_id uuid,
  application_id text,
  employee_id uuid,
  device_id text,
  -- How many equal events this one stands for.
  occurrences integer not null check (occurrences > 0),
  -- Ids and names that say more; never a secret.
  details jsonb not null,
  primary key (merchant_id, audit_event_id)
);

create index audit_events_merchant on audit_events (merchant_id, occurred_at, audit_event_id);

-- For the operator's list and for retention, which go over all merchants.
create index audit_events_time on audit_events (occurred_at, audit_event_id);
