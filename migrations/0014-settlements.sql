-- Settlements, which pay out what the merchant is owed, and adjustments.

-- The entries of a settlement are the movements with its id.
create table settlements (
  merchant_id text not null,
  settlement_id text not null,
  location_id text not null,
  bank_account_id text not null,
  status text not null check (status in ('SENT', 'FAILED')),
  currency text not null,
  -- Positive if paid to the merchant, negative if taken from the merchant.
  total bigint not null check (total <> 0),
  initiated_at timestamptz not null,
  -- The settlement is hidden until this time (decision 0035).
  visible_at timestamptz not null,
  failed_at timestamptz,
  -- The movement that returns the money of a failed settlement.
  returned_movement_id text,
  primary key (merchant_id, settlement_id),
  foreign key (merchant_id, bank_account_id) references bank_accounts,
  constraint settlements_visible check (visible_at >= initiated_at),
  constraint settlements_failed check (
    (status = 'FAILED') = (failed_at is not null) and (status = 'FAILED') = (returned_movement_id is not null)
  )
);

-- A close happens only once. Also serves v1 listSettlements of a location.
create unique index settlements_close on settlements (merchant_id, location_id, initiated_at);
-- v1 listSettlements of all locations.
create index settlements_initiated on settlements (merchant_id, initiated_at, settlement_id);
-- v1 listSettlements with a status.
create index settlements_status on settlements (merchant_id, status, initiated_at, settlement_id);

-- Authors and idempotency keys of adjustments. A retry with the same key creates no second adjustment.
create table adjustments (
  merchant_id text not null,
  -- The id of the movement.
  adjustment_id text not null,
  made_by text not null check (made_by in ('OWNER', 'OPERATOR')),
  idempotency_key text not null,
  primary key (merchant_id, adjustment_id),
  foreign key (merchant_id, adjustment_id) references movements
);

-- Finds the adjustment that a key created.
create unique index adjustments_key on adjustments (merchant_id, made_by, idempotency_key);
