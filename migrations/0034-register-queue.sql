-- What the owner should look at in a write that a register kept while it was offline (decision 0155).
create table register_flags (
  merchant_id text not null,
  -- The write, as in register_writes and sales.
  device_id text not null,
  client_id text not null,
  operation text not null,
  employee_id uuid not null,
  -- When it happened, by the corrected clock of the register, and when it arrived. Both on the merchant's clock.
  occurred_at timestamptz not null,
  arrived_at timestamptz not null,
  -- A list of {code, detail}.
  flags jsonb not null,
  sale_id text,
  -- Whether the owner has to look at it. Not set for a corrected clock alone.
  is_open boolean not null,
  reviewed_at timestamptz,
  primary key (merchant_id, device_id, client_id)
);

-- The flags of a sale, on its page.
create index register_flags_sale on register_flags (merchant_id, sale_id) where sale_id is not null;
-- What the owner has to look at: the list, the filter of sales, and the number on Home.
create index register_flags_open on register_flags (merchant_id, arrived_at, client_id) where is_open;

-- How much a card that is charged later may pay. Null: registers take no cards while they are offline.
alter table merchants add column offline_card_limit bigint check (offline_card_limit > 0);
