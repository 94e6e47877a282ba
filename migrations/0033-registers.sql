-- Registers: settings of a device, open sales that another device takes up, and the device of a refund.

-- Null: the default of the program (src/access/devices/settings.ts).
alter table devices add column lock_after_seconds integer;
alter table devices add column show_pictures boolean;
alter table devices add column ask_for_tip boolean;

-- A name for an open sale, such as "Table 4".
alter table sales add column label text;
-- REGISTER, while the sale is OPEN: its lines as they were rung up, with a version (src/business/receipts/stored.ts). The receipt has them
-- only added up. Null otherwise, and for sales that were opened by an earlier version.
alter table sales add column open_lines json;

-- register listOpenSales.
create index sales_open on sales (merchant_id, location_id, rung_up_at, sale_id) where kind = 'REGISTER' and state = 'OPEN';

-- The device at which the refund was made. Null for refunds of the API, of the dashboard, and of earlier versions.
alter table refunds add column device_id text;

-- register showShiftReport.
create index refunds_device on refunds (merchant_id, device_id, created_at) where device_id is not null;
