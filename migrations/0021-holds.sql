-- Holds: money of a disputed payment that is kept back from settlement.

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

-- A payment has at most one active hold. src/database/constraints.ts converts a violation to a refusal.
create unique index holds_in_force on holds (merchant_id, payment_id) where released_at is null;
