-- Work that is due at a later time by the merchant's clock (decision 0041).

create table due_work (
  merchant_id text not null,
  kind text not null,
  subject_id text not null,
  due_at timestamptz not null,
  -- The same moment in real time; null while the merchant's clock is frozen.
  run_at timestamptz,
  -- In real time: a worker has taken it and asks the processor until then. After that another worker asks, with the same key.
  taken_until timestamptz,
  primary key (merchant_id, kind, subject_id)
);

-- The oldest work of a merchant.
create index due_work_merchant on due_work (merchant_id, due_at);
-- Does not begin with the merchant: finds the merchants that have something due.
create index due_work_run on due_work (run_at) where run_at is not null;
