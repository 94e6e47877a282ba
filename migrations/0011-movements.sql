-- Movements: append-only, signed changes of the amount that the merchant is owed. A settlement consists of movements.

create table movements (
  merchant_id text not null,
  movement_id text not null,
  location_id text not null,
  kind text not null,
  -- The payment and the refund that caused the movement. Null if no payment did.
  payment_id text,
  refund_id text,
  currency text not null,
  -- Before fees. Positive for a charge, negative for money that goes back to the buyer.
  amount bigint not null,
  -- Fees of the processor and the application: negative when charged, positive when returned.
  fee bigint not null,
  occurred_at timestamptz not null,
  -- The reason of an adjustment.
  reason text,
  -- Null until a close settles the movement; never changed afterwards.
  settlement_id text,
  primary key (merchant_id, movement_id),
  constraint movements_kind check (
    kind in ('CHARGE', 'REFUND', 'REVERSAL', 'HOLD', 'HOLD_RELEASE', 'ADJUSTMENT', 'RETURNED_PAYOUT')
  ),
  constraint movements_about check (
    (payment_id is null) = (kind in ('ADJUSTMENT', 'RETURNED_PAYOUT')) and (reason is not null) = (kind = 'ADJUSTMENT')
  )
);

-- The returned fees of a payment.
create index movements_payment on movements (merchant_id, payment_id);
-- The close of a day: unsettled movements of a location.
create index movements_unsettled on movements (merchant_id, location_id, occurred_at) where settlement_id is null;
-- The entries of a settlement, in order.
create index movements_settlement on movements (merchant_id, settlement_id, occurred_at, movement_id)
  where settlement_id is not null;
