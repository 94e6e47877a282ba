-- The key of the hashes of account numbers, passcodes and store pages, encrypted with the account key of the servers (decision 0209).
create table hash_key (
  is_only_row boolean primary key default true check (is_only_row),
  -- Names the account key without revealing it.
  key_id text not null,
  secret bytea not null,
  -- In real time: when it was encrypted last.
  sealed_at timestamptz not null
);
