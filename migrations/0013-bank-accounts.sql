-- Bank accounts: the destinations of settlements.

create table bank_accounts (
  merchant_id text not null references merchants,
  bank_account_id text not null,
  bank_name text not null,
  -- The account holder.
  name text not null,
  routing_number text not null,
  type text not null check (
    type in ('BUSINESS_CHECKING', 'CHECKING', 'INVESTMENT', 'LOAN', 'SAVINGS', 'OTHER')
  ),
  -- The only part of the account number that is stored in plain text (decision 0062).
  account_number_suffix text not null check (account_number_suffix ~ '^[0-9]{2,4}$'),
  -- A hash of the routing and account numbers, keyed with a secret that is not in this database.
  number_hash bytea not null,
  currency text not null,
  -- Whether this is the active account, to which settlements are paid.
  in_force boolean not null,
  linked_at timestamptz not null,
  primary key (merchant_id, bank_account_id)
);

-- An account can be linked only once. src/database/constraints.ts converts a violation to a refusal.
create unique index bank_accounts_number on bank_accounts (merchant_id, number_hash);
-- A merchant has at most one active account. The close of a day reads it.
create unique index bank_accounts_in_force on bank_accounts (merchant_id) where in_force;
