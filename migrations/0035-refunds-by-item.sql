-- Refunds count in the sums of items and categories (decision 0159). All days are rolled up again. Until then they are added up when
-- they are read.
delete from report_days;
delete from report_progress;
delete from report_late_days;

update due_work
set due_at = timestamptz 'epoch', run_at = timestamptz 'epoch'
where kind = 'ROLL_UP_DAYS';

-- listUncapturedPayments of the dashboard. Payments that are captured at once are not in it.
create index payments_uncaptured on payments (merchant_id, created_at, payment_id) where captured_at is null and source_type = 'CARD';
