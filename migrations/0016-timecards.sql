-- Timecards: the working time of employees, and the events of each timecard.

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

-- An employee who is clocked in cannot clock in again (contract 3). src/database/constraints.ts converts a violation to a
-- refusal.
create unique index timecards_open on timecards (merchant_id, employee_id) where clockout_at is null and not deleted;
-- v1 listTimecards, by the time of creation. The additional columns let the index scan skip rows that a filter excludes.
create index timecards_created on timecards
  (merchant_id, created_at, timecard_id, clockin_at, clockout_at, updated_at, deleted);
-- v1 listTimecards of an employee.
create index timecards_employee on timecards (merchant_id, employee_id, created_at, timecard_id);
-- v1 listTimecards with deleted=true.
create index timecards_deleted on timecards (merchant_id, created_at, timecard_id) where deleted;
-- Short ranges of each time, for v1 listTimecards and v2 searchShifts.
create index timecards_clockin on timecards (merchant_id, clockin_at);
create index timecards_clockout on timecards (merchant_id, clockout_at);
create index timecards_updated on timecards (merchant_id, updated_at, timecard_id, clockin_at);
-- v2 searchShifts, sorted by the end. Open shifts sort after all others.
create index timecards_end on timecards
  (merchant_id, coalesce(clockout_at, timestamptz '9999-12-31 23:59:59.999+00'), timecard_id, clockin_at)
  where not deleted;

create table timecard_events (
  merchant_id text not null,
  timecard_id uuid not null,
  event_id uuid not null,
  kind text not null,
  -- The times of the card after the event.
  clockin_at timestamptz not null,
  clockout_at timestamptz,
  created_at timestamptz not null,
  primary key (merchant_id, timecard_id, event_id),
  foreign key (merchant_id, timecard_id) references timecards
);
