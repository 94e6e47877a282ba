-- The processor: rules by which an operator decides what the simulator answers next.

create table processor_rules (
  merchant_id text not null references merchants,
  rule_id text not null,
  effect text not null,
  -- DECLINE: the code of the decline.
  code text,
  -- DELAY: how long the answer takes.
  delay_ms integer,
  -- SOURCE: the card that the next source stands for.
  source_id text,
  remaining integer not null check (remaining >= 0),
  primary key (merchant_id, rule_id),
  constraint processor_rules_effect check (effect in ('DECLINE', 'SOURCE', 'DELAY', 'TIME_OUT', 'FAIL_REFUND'))
);
