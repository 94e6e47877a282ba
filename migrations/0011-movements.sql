-- Movements: what the merchant is owed, append-only and signed. Settlements are made of them.

create table movements (
  merchant_id text not null,
  movement_id text not null,
  location_id text not null,
  kind text not null,
  -- The payment and the refund that caused it; null for what no payment caused.
  payment_id text,
  refund_id text,
  currency text not null,
  -- Before fees; a charge is positive, what goes back to the buyer negative.
  amount bigint not null,
  -- The processor's and the application's fees: negative where they are taken, positive where they come back.
  fee bigint not null,
  occurred_at timestamptz not null,
  -- Why somebody adjusted what the merchant is owed.
  reason text,
  -- Set once, by the close that settles it; null until then.
  settlement_id text,
  primary key (merchant_id, movement_id),
  constraint movements_kind check (
    kind in ('CHARGE', 'REFUND', 'REVERSAL', 'HOLD', 'HOLD_RELEASE', 'ADJUSTMENT', 'RETURNED_PAYOUT')
  ),
  constraint movements_about check (
    (payment_id is null) = (kind in ('ADJUSTMENT', 'RETURNED_PAYOUT')) and (reason is not null) = (kind = 'ADJUSTMENT')
  )
);

-- The fees that came back of a payment.
create index movements_payment on movements (merchant_id, payment_id);
-- The close of a location's day: what is not settled yet.
create index movements_unsettled on movements (merchant_id, location_id, occurred_at) where settlement_id is null;
-- The entries of a settlement, in their order.
create index movements_settlement on movements (merchant_id, settlement_id, occurred_at, movement_id)
  where settlement_id is not null;
