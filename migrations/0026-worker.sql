-- How a worker finds work in a distributed database, and an order of deliveries that does not depend on the node.

-- What becomes due soon. A worker reads it instead of all shards. It is only a hint: rows are written after the commit of what they
-- announce, and a sweep of each shard finds what is missing here. So the table need not survive a crash. On a distributed database it is
-- on the coordinator only. A plain PostgreSQL does not use it.
create unlogged table agenda (
  -- A merchant to look at, or a shard to sweep.
  kind text not null check (kind in ('MERCHANT', 'SHARD')),
  -- The merchant, or a value that is on the shard.
  subject_id text not null,
  -- In real time.
  due_at timestamptz not null,
  primary key (kind, subject_id)
);

-- Finds what is due.
create index agenda_due on agenda (due_at);

-- Each node has its own range of an identity, so the order would be wrong after a shard has moved. New deliveries get the time in
-- microseconds, which is greater than all numbers so far.
alter table webhook_deliveries alter column ordinal drop identity;
