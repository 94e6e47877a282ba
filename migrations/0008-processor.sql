-- Talking to a processor whose answer may be lost, and what an operator makes the simulator do.

-- A call whose outcome is not known yet: written before the processor is asked, removed with the outcome. A worker asks
-- again, with the same key, when the time has come (real time). One payment has one call under way at most.
create table processor_calls (
  merchant_id text not null,
  payment_id text not null,
  action text not null check (action in ('CREATE', 'COMPLETE', 'CANCEL')),
  -- What a CREATE asks for; never a card number.
  request json,
  -- Cancelled by its key before the outcome was known (decision 0028).
  cancel_after boolean not null default false,
  retry_at timestamptz not null,
  primary key (merchant_id, payment_id)
);

-- Finds the merchants with calls to make again; like due_work_run it does not begin with the merchant.
create index processor_calls_retry on processor_calls (retry_at);

create table processor_rules (
  merchant_id text not null references merchants,
  rule_id text not null,
  effect text not null check (effect in ('DECLINE', 'DELAY', 'TIME_OUT', 'FAIL_REFUND')),
  code text,
  delay_ms integer,
  remaining integer not null check (remaining >= 0),
  primary key (merchant_id, rule_id)
);
