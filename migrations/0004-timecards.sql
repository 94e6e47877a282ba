-- Shifts of employees, one row each, and what happened to each of them.

create table timecards (
  merchant_id text not null references merchants,
  timecard_id uuid not null,
  employee_id uuid not null,
  clockin_at timestamptz not null,
  clockout_at timestamptz,
  clockin_location_id text,
  clockout_location_id text,
  deleted boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, timecard_id),
  constraint timecards_employee foreign key (merchant_id, employee_id) references employees,
  constraint timecards_order check (clockout_at >= clockin_at),
  constraint timecards_clockout_location check (clockout_at is not null or clockout_location_id is null)
);

-- A clocked-in employee cannot be clocked in again (spec 3), whoever tries and however many at once.
create unique index timecards_open on timecards (merchant_id, employee_id) where clockout_at is null and not deleted;

-- The list goes by created_at; the columns behind the key let the index itself pass over what a filter leaves out.
create index timecards_created on timecards
  (merchant_id, created_at, timecard_id, clockin_at, clockout_at, updated_at, deleted);
create index timecards_employee on timecards (merchant_id, employee_id, created_at, timecard_id);
create index timecards_deleted on timecards (merchant_id, created_at, timecard_id) where deleted;
-- Narrow ranges are found directly: a nightly sync asks for what changed since the last one.
create index timecards_clockin on timecards (merchant_id, clockin_at);
create index timecards_clockout on timecards (merchant_id, clockout_at);
create index timecards_updated on timecards (merchant_id, updated_at);

create table timecard_events (
  merchant_id text not null,
  timecard_id uuid not null,
  event_id uuid not null,
  kind text not null,
  -- The times as they stood after the event.
  clockin_at timestamptz not null,
  clockout_at timestamptz,
  created_at timestamptz not null,
  primary key (merchant_id, timecard_id, event_id),
  foreign key (merchant_id, timecard_id) references timecards
);
