-- Bank accounts: where settlements are paid to.

create table bank_accounts (
  merchant_id text not null references merchants,
  bank_account_id text not null,
  bank_name text not null,
  -- The holder of the account.
  name text not null,
  routing_number text not null,
  type text not null check (
    type in ('BUSINESS_CHECKING', 'CHECKING', 'INVESTMENT', 'LOAN', 'SAVINGS', 'OTHER')
  ),
  -- The only readable part of the account number that is stored (decision 0062).
  account_number_suffix text not null check (account_number_suffix ~ '^[0-9]{2,4}$'),
  -- Of the routing and the account number, keyed with a secret that is not in this database.
  number_hash bytea not null,
  currency text not null,
  -- Settlements go to this account.
  in_force boolean not null,
  linked_at timestamptz not null,
  primary key (merchant_id, bank_account_id)
);

-- An account is linked once; its name becomes a refusal (src/database/constraints.ts).
create unique index bank_accounts_number on bank_accounts (merchant_id, number_hash);
-- Settlements go to one account; a close finds it here.
create unique index bank_accounts_in_force on bank_accounts (merchant_id) where in_force;
