-- Reports: the sums of each day of each location (decision 0142).

-- A row for each value of a dimension: TOTAL has one row per day, HOUR one per hour, ITEM one per item. Amounts are in minor units. A sale
-- counts on the local day of its created_at, a refund on its own day.
create table report_days (
  merchant_id text not null,
  dimension text not null,
  location_id text not null,
  -- The calendar day of the location.
  day date not null,
  -- The hour, or the id of the item, employee, tax or discount, ...
  key text not null,
  -- Of what has no record of its own, such as an item of a register.
  name text,
  -- What was sold. Discounts are never positive, all others never negative. fee: of the processor and of applications.
  count bigint not null,
  quantity bigint not null,
  gross bigint not null,
  discount bigint not null,
  tax bigint not null,
  surcharge bigint not null,
  tip bigint not null,
  collected bigint not null,
  fee bigint not null,
  -- What was refunded. Never negative. refunded contains the other three amounts; refunded_fee is what came back of fees.
  refund_count bigint not null,
  refunded bigint not null,
  refunded_tax bigint not null,
  refunded_surcharge bigint not null,
  refunded_tip bigint not null,
  refunded_fee bigint not null,
  -- In the order of a report: a dimension, over a range of days.
  primary key (merchant_id, dimension, location_id, day, key)
);

-- How far each location is rolled up: report_days has all that counts before this time.
create table report_progress (
  merchant_id text not null,
  location_id text not null,
  -- The time zone that the days were rolled up with. If the location gets another one, all its days are rolled up again.
  timezone text not null,
  rolled_up_to timestamptz not null,
  primary key (merchant_id, location_id)
);

-- Days with late arrivals, such as a sale of a register that was offline. They are rolled up again, and computed live until then.
create table report_late_days (
  merchant_id text not null,
  location_id text not null,
  day date not null,
  -- Every mark updates the row, so that none is lost to a concurrent roll-up.
  marks bigint not null,
  primary key (merchant_id, location_id, day)
);

-- In real time: the last move of the merchant's clock. Requests that began before it may still commit with the old time.
alter table merchants add column clock_moved_at timestamptz;

-- The first roll-up of businesses that exist. It covers their whole past.
insert into due_work (merchant_id, kind, subject_id, due_at, run_at)
select merchant_id, 'ROLL_UP_DAYS', merchant_id, created_at, timestamptz 'epoch'
from merchants;
