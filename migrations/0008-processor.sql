-- Processor rules: the operator's instructions for the next responses of the simulator.

create table processor_rules (
  merchant_id text not null references merchants,
  rule_id text not null,
  effect text not null,
  -- DECLINE: the decline code.
  code text,
  -- DELAY: the time before the response.
  delay_ms integer,
  -- SOURCE: the test source that replaces the next source.
  source_id text,
  remaining integer not null check (remaining >= 0),
  primary key (merchant_id, rule_id),
  constraint processor_rules_effect check (effect in ('DECLINE', 'SOURCE', 'DELAY', 'TIME_OUT', 'FAIL_REFUND'))
);
