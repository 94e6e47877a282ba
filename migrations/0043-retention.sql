-- Idempotency keys and writes of registers can be deleted after a time that the operator chooses (decision 0078).

-- In real time. Null in keys from before this migration, of functions of older versions, and of generated histories: they are kept.
alter table idempotency_keys add column created_at timestamptz;

-- Finds the keys of a merchant that retention may delete.
create index idempotency_keys_created on idempotency_keys (merchant_id, created_at);
-- Finds the writes of a merchant that retention may delete.
create index register_writes_created on register_writes (merchant_id, created_at);
