-- Work that is due at a later time by the merchant's clock (decision 0041).

create table due_work (
  merchant_id text not null,
  kind text not null,
  subject_id text not null,
  due_at timestamptz not null,
  -- due_at in real time. Null while the merchant's clock is frozen.
  run_at timestamptz,
  -- The end of a worker's lease, in real time, for work that calls the processor. If it expires, another worker calls the
  -- processor with the same idempotency key.
  leased_until timestamptz,
  primary key (merchant_id, kind, subject_id)
);

-- The oldest work of a merchant.
create index due_work_merchant on due_work (merchant_id, due_at);
-- Finds the merchants that have due work, so it does not begin with the merchant.
create index due_work_run on due_work (run_at) where run_at is not null;
