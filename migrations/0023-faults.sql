-- Fault rules, by which the operator of a sandbox injects faults into requests and deliveries (decisions 0080 and 0083).

-- All servers of a database share the rules. A rule can be for all merchants, so its key does not begin with merchant_id and
-- it has no foreign key to merchants: where tables are distributed by merchant, every node has a full copy of this table.
create table fault_rules (
  rule_id text primary key,
  -- Null means all merchants, and requests whose merchant is not known yet.
  merchant_id text,
  effect text not null,
  -- For requests: an operation such as v2.createPayment. Null means any.
  operation text,
  -- For deliveries: an event type such as payment.created. Null means any.
  event_type text,
  status integer check (status in (429, 500, 503)),
  retry_after_seconds integer check (retry_after_seconds >= 0),
  min_delay_ms integer check (min_delay_ms >= 0),
  max_delay_ms integer,
  remaining integer not null check (remaining >= 0),
  constraint fault_rules_effect check (
    effect in ('DELAY', 'STATUS', 'RESET_BEFORE', 'RESET_AFTER', 'WEBHOOK_TWICE', 'WEBHOOK_LATE')
  ),
  constraint fault_rules_scope check (case when effect like 'WEBHOOK%' then operation else event_type end is null),
  constraint fault_rules_status check ((effect = 'STATUS') = (status is not null)),
  constraint fault_rules_delay check ((effect in ('DELAY', 'WEBHOOK_LATE')) = (min_delay_ms is not null)),
  constraint fault_rules_delay_range check (
    (min_delay_ms is null) = (max_delay_ms is null) and min_delay_ms <= max_delay_ms
  )
);

-- Read with every credential: whether any rule can apply to the merchant.
create index fault_rules_left on fault_rules (merchant_id) where remaining > 0;
