-- The types of reports/functions.sql.

-- Days of a location to add up: from begin_day to before end_day, of what counts from begin_at to before end_at.
create type report_span as (
  location_id text,
  timezone text,
  begin_day date,
  end_day date,
  begin_at timestamptz,
  end_at timestamptz
);

-- The sums of a day, or of any other group, as in report_days.
create type report_line as (
  dimension text,
  location_id text,
  day date,
  key text,
  name text,
  count bigint,
  quantity bigint,
  gross bigint,
  discount bigint,
  tax bigint,
  surcharge bigint,
  tip bigint,
  collected bigint,
  fee bigint,
  refund_count bigint,
  refunded bigint,
  refunded_tax bigint,
  refunded_surcharge bigint,
  refunded_tip bigint,
  refunded_fee bigint
);

-- What a report reads: the locations with stored sums, their late days (each as location and day), and the spans to add up.
create type report_plan as (
  stored_ids text[],
  late_keys text[],
  spans report_span[]
);
