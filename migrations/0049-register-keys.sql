-- Keys with which employees sign what a register does while it is offline (decision 0206). Only the passcode unlocks the other half.

create table register_keys (
  merchant_id text not null,
  device_id text not null,
  employee_id uuid not null,
  -- SPKI in base64.
  public_key text not null,
  -- In real time. A row is deleted when nothing that is signed with it counts any more.
  created_at timestamptz not null,
  primary key (merchant_id, device_id, employee_id, public_key)
);

-- Ends the keys of an employee whose passcode, status or locations change.
create index register_keys_employee on register_keys (merchant_id, employee_id);
