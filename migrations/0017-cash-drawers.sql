-- Cash drawer shifts with running sums, and the events that add up to these sums.

create table cash_drawer_shifts (
  merchant_id text not null references merchants,
  shift_id uuid not null,
  location_id text not null,
  device_id text not null,
  device_name text not null,
  state text not null check (state in ('OPEN', 'ENDED', 'CLOSED')),
  description text,
  opened_at timestamptz not null,
  ended_at timestamptz,
  closed_at timestamptz,
  opening_employee_id uuid not null,
  ending_employee_id uuid,
  closing_employee_id uuid,
  -- All participants, in the order of their first action.
  employee_ids uuid[] not null,
  currency text not null,
  opened_cash bigint not null check (opened_cash >= 0),
  -- Sums of the events. cash_payments excludes canceled payments.
  cash_payments bigint not null default 0,
  cash_refunds bigint not null default 0 check (cash_refunds >= 0),
  cash_paid_in bigint not null default 0 check (cash_paid_in >= 0),
  cash_paid_out bigint not null default 0 check (cash_paid_out >= 0),
  expected_cash bigint not null
    generated always as (opened_cash + cash_payments - cash_refunds + cash_paid_in - cash_paid_out) stored,
  closed_cash bigint check (closed_cash >= 0),
  primary key (merchant_id, shift_id),
  foreign key (merchant_id, location_id) references locations,
  constraint cash_drawer_shifts_payments check (cash_payments >= 0),
  constraint cash_drawer_shifts_state check (
    (state = 'OPEN' and ended_at is null and closed_at is null and closed_cash is null)
    or (state = 'ENDED' and ended_at is not null and closed_at is null and closed_cash is null)
    or (state = 'CLOSED' and ended_at is not null and closed_at is not null and closed_cash is not null)
  )
);

-- A device has at most one open shift. src/database/constraints.ts converts a violation to a refusal.
create unique index cash_drawer_shifts_open on cash_drawer_shifts (merchant_id, device_id) where state = 'OPEN';
-- Lists of v1 and v2, by location and the time of opening.
create index cash_drawer_shifts_opened on cash_drawer_shifts (merchant_id, location_id, opened_at, shift_id);

create table cash_drawer_events (
  merchant_id text not null,
  shift_id uuid not null,
  event_id uuid not null,
  employee_id uuid not null,
  kind text not null,
  -- Never negative: the kind determines the direction.
  amount bigint not null check (amount >= 0),
  -- The payment or refund, for an event of a sale.
  subject_id text,
  description text,
  created_at timestamptz not null,
  primary key (merchant_id, shift_id, event_id),
  foreign key (merchant_id, shift_id) references cash_drawer_shifts
);

-- The events of a shift, in order.
create index cash_drawer_events_created on cash_drawer_events (merchant_id, shift_id, created_at, event_id);
