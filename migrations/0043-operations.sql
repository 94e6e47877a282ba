-- Idempotency keys and writes of registers can be deleted after a time that the operator chooses (decision 0078), and what needs the
-- attention of the operator is counted once (decision 0197).

-- In real time. Null in keys from before this migration, of functions of older versions, and of generated histories: they are kept.
alter table idempotency_keys add column created_at timestamptz;

-- They find what retention may delete. Rows are inserted in the order of their times, so the smallest kind of index is enough. One that begins
-- with the merchant would cost every payment an entry, and PostgreSQL would take it for the look-up of a key.
create index idempotency_keys_created on idempotency_keys using brin (created_at);
create index register_writes_created on register_writes using brin (created_at);

-- Refunds and disputes of a processor that our records cannot follow. Several events report the same one, also to different servers.
create table processor_troubles (
  merchant_id text not null,
  kind text not null,
  -- The key of the refund, or the id of the dispute.
  subject text not null,
  -- In real time.
  reported_at timestamptz not null,
  primary key (merchant_id, kind, subject)
);
