-- For programs that sync: lists by the time of the last change, and shifts by any of their times. For testers: rules that choose the card.

-- Goes by the last change. The columns behind the key let the index itself pass over what another filter leaves out.
create index payments_updated on payments
  (merchant_id, updated_at, payment_id, created_at, location_id, total, last_4, card_brand) where source_type = 'CARD';
-- The same the other way round: a list by the time of making may ask for a range of changes.
drop index payments_created, payments_location, payments_total, payments_last_4, payments_card_brand;
create index payments_created on payments (merchant_id, created_at, payment_id, updated_at) where source_type = 'CARD';
create index payments_location on payments (merchant_id, location_id, created_at, payment_id, updated_at)
  where source_type = 'CARD';
create index payments_total on payments (merchant_id, total, created_at, payment_id, updated_at) where source_type = 'CARD';
create index payments_last_4 on payments (merchant_id, last_4, created_at, payment_id, updated_at)
  where source_type = 'CARD';
create index payments_card_brand on payments (merchant_id, card_brand, created_at, payment_id, updated_at)
  where source_type = 'CARD';

create index refunds_updated on refunds (merchant_id, updated_at, refund_id, created_at, location_id, status)
  where source_type = 'CARD' and origin in ('API', 'REGISTER');
drop index refunds_created, refunds_location, refunds_status;
create index refunds_created on refunds (merchant_id, created_at, refund_id, updated_at)
  where source_type = 'CARD' and origin in ('API', 'REGISTER');
create index refunds_location on refunds (merchant_id, location_id, created_at, refund_id, updated_at)
  where source_type = 'CARD' and origin in ('API', 'REGISTER');
create index refunds_status on refunds (merchant_id, status, created_at, refund_id, updated_at)
  where source_type = 'CARD' and origin in ('API', 'REGISTER');

-- Shifts are searched by when they ended, too (an open one has the last end of all), and sorted by their last change.
create index timecards_end on timecards
  (merchant_id, coalesce(clockout_at, timestamptz '9999-12-31 23:59:59.999+00'), timecard_id, clockin_at)
  where not deleted;
drop index timecards_updated;
create index timecards_updated on timecards (merchant_id, updated_at, timecard_id, clockin_at);

-- A rule may say which card the next one is.
alter table processor_rules
  add column source_id text;
alter table processor_rules drop constraint processor_rules_effect_check;
alter table processor_rules
  add constraint processor_rules_effect check (effect in ('DECLINE', 'SOURCE', 'DELAY', 'TIME_OUT', 'FAIL_REFUND'));
