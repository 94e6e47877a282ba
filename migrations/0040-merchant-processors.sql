-- Processors of single merchants (decision 0183). A payment remembers which one has it.
create table merchant_processors (
  merchant_id text not null references merchants,
  processor_id text not null,
  kind text not null,
  -- Without a slash at the end.
  address text not null,
  -- Encrypted with the key that key_id names (decision 0184).
  secret bytea not null,
  key_id text not null,
  created_at timestamptz not null,
  primary key (merchant_id, processor_id),
  constraint merchant_processors_kind check (kind in ('ADAPTER')),
  -- A merchant that comes back to an address finds its old payments there.
  constraint merchant_processors_address unique (merchant_id, kind, address)
);

-- Which one charges new payments. Null: that of the server. There is no foreign key, because the other table refers to this one.
alter table merchants add column processor_id text;

-- Which one has the payment. Null: that of the server. There is no foreign key: it would be checked for every payment that is there.
alter table payments add column processor_id text;
