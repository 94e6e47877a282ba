-- What an operator makes happen to requests on their way: rules that all servers of a database share (decision 0080).

-- A rule may be for every merchant, so its key cannot begin with one. Where tables are distributed by merchant, this one
-- is kept whole on each node.
create table fault_rules (
  rule_id text primary key,
  -- Absent: requests of every merchant, and those of which nobody knows the merchant yet.
  merchant_id text references merchants,
  -- By its surface and name, as in v2.createPayment; absent: any.
  operation text,
  effect text not null check (effect in ('DELAY', 'STATUS', 'RESET_BEFORE', 'RESET_AFTER')),
  status integer check (status in (429, 500, 503)),
  retry_after_seconds integer check (retry_after_seconds >= 0),
  min_delay_ms integer check (min_delay_ms >= 0),
  max_delay_ms integer,
  remaining integer not null check (remaining >= 0),
  check ((effect = 'STATUS') = (status is not null)),
  check ((effect = 'DELAY') = (min_delay_ms is not null)),
  check ((min_delay_ms is null) = (max_delay_ms is null)),
  check (min_delay_ms <= max_delay_ms)
);

-- Asked with every credential that is read: is there anything that could befall this merchant?
create index fault_rules_left on fault_rules (merchant_id) where remaining > 0;
