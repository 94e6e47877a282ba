-- A register whose open sale was paid, edited or canceled elsewhere says where, by whom and when (decision 0235).

-- The last tender, edit or cancellation after the sale was rung up. Only `note_sale_act` writes them, all four at once. Null: there was none, or an earlier version of the server took it.
alter table sales add column last_device_id text;
alter table sales add column last_device_name text;
alter table sales add column last_employee_id uuid;
alter table sales add column last_act_at timestamptz;
