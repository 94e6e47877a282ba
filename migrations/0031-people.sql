-- Indexes for lists of the dashboard.

-- dashboard listCashDrawerShifts of all locations.
create index cash_drawer_shifts_all on cash_drawer_shifts (merchant_id, opened_at, shift_id);

-- dashboard listDisputes.
create index holds_placed on holds (merchant_id, placed_at, hold_id);
