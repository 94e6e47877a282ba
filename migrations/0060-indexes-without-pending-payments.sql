-- Concurrently: a payment whose outcome is unknown is in no list, so it needs no entries in their indexes. With an adapter each payment is
-- inserted like that and changed once, and without these indexes it would write all entries twice (decision 0251). They replace those of
-- 0019, 0030 and 0035 that have the same names without `shown`.

-- v2 listPayments, by each of its filters. The additional columns let the index scan skip rows that a range of the other time excludes.
create index concurrently if not exists payments_shown_created on payments (merchant_id, created_at, payment_id, updated_at)
  where source_type = 'CARD' and status <> 'PENDING';
create index concurrently if not exists payments_shown_location on payments
  (merchant_id, location_id, created_at, payment_id, updated_at)
  where source_type = 'CARD' and status <> 'PENDING';
-- These two also find sales by the amount and the card of a tender.
create index concurrently if not exists payments_shown_total on payments (merchant_id, total, created_at, payment_id, updated_at)
  where source_type = 'CARD' and status <> 'PENDING';
create index concurrently if not exists payments_shown_last_4 on payments (merchant_id, last_4, created_at, payment_id, updated_at)
  where source_type = 'CARD' and status <> 'PENDING';
create index concurrently if not exists payments_shown_card_brand on payments
  (merchant_id, card_brand, created_at, payment_id, updated_at)
  where source_type = 'CARD' and status <> 'PENDING';
-- The same list by the time of the last change, for clients that synchronize.
create index concurrently if not exists payments_shown_updated on payments
  (merchant_id, updated_at, payment_id, created_at, location_id, total, last_4, card_brand)
  where source_type = 'CARD' and status <> 'PENDING';

-- Card payments that took no money, newest first.
create index concurrently if not exists payments_shown_uncaptured on payments (merchant_id, created_at, payment_id)
  where captured_at is null and source_type = 'CARD' and status <> 'PENDING';

-- Sales by the references and the order ids of applications.
create index concurrently if not exists payments_shown_reference on payments (merchant_id, (details ->> 'reference_id'))
  where details ->> 'reference_id' is not null and status <> 'PENDING';
create index concurrently if not exists payments_shown_order on payments (merchant_id, (details ->> 'order_id'))
  where channel = 'API' and status <> 'PENDING';
