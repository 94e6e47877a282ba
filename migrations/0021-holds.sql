-- Holds: money of a payment that is kept back while its buyer disputes it.

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

-- A payment has one hold at a time; its name becomes a refusal (src/database/constraints.ts).
create unique index holds_in_force on holds (merchant_id, payment_id) where released_at is null;
