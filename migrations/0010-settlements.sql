-- Paying out what the merchant is owed: bank accounts, settlements, and holds on money that a buyer disputes.

create table bank_accounts (
  merchant_id text not null references merchants,
  bank_account_id text not null,
  bank_name text not null,
  -- Whose account it is.
  name text not null,
  routing_number text not null,
  type text not null check (
    type in ('BUSINESS_CHECKING', 'CHECKING', 'INVESTMENT', 'LOAN', 'SAVINGS', 'OTHER')
  ),
  -- All that is kept of the account's number that can be read (decision 0062).
  account_number_suffix text not null check (account_number_suffix ~ '^[0-9]{2,4}$'),
  -- Of the routing and the account number, keyed with a secret that is not in this database: tells a second one apart.
  number_hash bytea not null,
  currency text not null,
  -- Settlements go to this one.
  in_force boolean not null,
  linked_at timestamptz not null,
  primary key (merchant_id, bank_account_id)
);

create unique index bank_accounts_number on bank_accounts (merchant_id, number_hash);
create unique index bank_accounts_in_force on bank_accounts (merchant_id) where in_force;

create table settlements (
  merchant_id text not null,
  settlement_id text not null,
  location_id text not null,
  bank_account_id text not null,
  status text not null check (status in ('SENT', 'FAILED')),
  currency text not null,
  -- Positive: paid to the merchant; negative: taken from it.
  total bigint not null check (total <> 0),
  initiated_at timestamptz not null,
  -- Nobody sees it before (decision 0035).
  visible_at timestamptz not null,
  failed_at timestamptz,
  -- The movement that gives the money of a failed one back.
  returned_movement_id text,
  primary key (merchant_id, settlement_id),
  foreign key (merchant_id, bank_account_id) references bank_accounts,
  constraint settlements_visible check (visible_at >= initiated_at),
  constraint settlements_failed check (
    (status = 'FAILED') = (failed_at is not null) and (status = 'FAILED') = (returned_movement_id is not null)
  )
);

-- A location's day is closed once; its list goes by this one too.
create unique index settlements_close on settlements (merchant_id, location_id, initiated_at);
create index settlements_initiated on settlements (merchant_id, initiated_at, settlement_id);
create index settlements_status on settlements (merchant_id, status, initiated_at, settlement_id);

-- A movement is marked with its settlement once; until then it waits.
alter table movements add column settlement_id text;
-- Why somebody adjusted what the merchant is owed.
alter table movements add column reason text;
alter table movements alter column payment_id drop not null;
alter table movements drop constraint movements_kind_check;
-- The rows that are there were held to a narrower rule, so nothing needs to be read.
alter table movements add constraint movements_kind check (
  kind in ('CHARGE', 'REFUND', 'REVERSAL', 'HOLD', 'HOLD_RELEASE', 'ADJUSTMENT', 'RETURNED_PAYOUT')
) not valid;
alter table movements add constraint movements_about check (
  (payment_id is null) = (kind in ('ADJUSTMENT', 'RETURNED_PAYOUT')) and (reason is not null) = (kind = 'ADJUSTMENT')
) not valid;

create index movements_unsettled on movements (merchant_id, location_id, occurred_at) where settlement_id is null;
create index movements_settlement on movements (merchant_id, settlement_id, occurred_at, movement_id)
  where settlement_id is not null;

-- Money of a payment that is kept back while its buyer disputes it.
create table holds (
  merchant_id text not null,
  hold_id text not null,
  payment_id text not null,
  amount bigint not null check (amount > 0),
  placed_at timestamptz not null,
  released_at timestamptz,
  primary key (merchant_id, hold_id),
  foreign key (merchant_id, payment_id) references payments
);

create unique index holds_in_force on holds (merchant_id, payment_id) where released_at is null;

-- Every location closes its days from now on. A close at the time it was opened has nothing to settle, and leads to the
-- next one that can have.
insert into due_work (merchant_id, kind, subject_id, due_at, run_at)
select l.merchant_id, 'CLOSE_DAY', l.location_id, l.created_at, timestamptz 'epoch'
from locations l;
