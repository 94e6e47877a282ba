-- Concurrently: Cash that was taken or given back while no drawer was open for it: few rows, unless a business uses no drawers.

create index concurrently if not exists payments_outside_drawers on payments (merchant_id, location_id, created_at, payment_id)
  where source_type = 'CASH' and drawer_shift_id is null and status = 'COMPLETED';

-- Whether a drawer gave it is in the events of the drawer.
create index concurrently if not exists refunds_in_cash on refunds (merchant_id, location_id, created_at, refund_id)
  where source_type = 'CASH' and origin = 'REGISTER' and device_id is not null;
