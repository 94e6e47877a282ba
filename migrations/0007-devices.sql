-- Devices: paired registers, sessions of employees at registers, writes of registers, and keys of online stores.

create table devices (
  merchant_id text not null references merchants,
  device_id text not null,
  location_id text not null,
  name text not null,
  created_at timestamptz not null,
  unpaired_at timestamptz,
  primary key (merchant_id, device_id),
  foreign key (merchant_id, location_id) references locations
);

-- Looked up before the merchant is known, so keyed by hash.
create table device_tokens (
  token_hash bytea primary key,
  merchant_id text not null,
  device_id text not null,
  created_at timestamptz not null,
  revoked_at timestamptz
);

-- Unpairing a device revokes its token.
create index device_tokens_device on device_tokens (merchant_id, device_id);

create table employee_passcodes (
  merchant_id text not null,
  employee_id uuid not null,
  passcode_hash text not null,
  primary key (merchant_id, employee_id),
  foreign key (merchant_id, employee_id) references employees
);

-- Looked up before the merchant is known, so keyed by hash.
create table register_sessions (
  token_hash bytea primary key,
  merchant_id text not null,
  device_id text not null,
  employee_id uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz
);

-- Ends the sessions of an employee whose passcode, status or locations change.
create index register_sessions_employee on register_sessions (merchant_id, employee_id) where ended_at is null;
-- Finds the employee who was signed in at a device at a time, for sales that the device sends later.
create index register_sessions_device on register_sessions (merchant_id, device_id, employee_id, created_at);
-- Retention (decision 0078).
create index register_sessions_expired on register_sessions (expires_at);

-- Each write of a register has an id that the register created. A retry with the same id gets the same response.
create table register_writes (
  merchant_id text not null,
  device_id text not null,
  client_id text not null,
  request_hash bytea not null,
  -- The response. Null until the write has ended.
  response jsonb,
  created_at timestamptz not null,
  primary key (merchant_id, device_id, client_id)
);

-- Public keys of online stores. They are not secret, but looked up before the merchant is known, so keyed by hash.
create table publishable_keys (
  key_hash bytea primary key,
  merchant_id text not null,
  key_id text not null,
  location_id text not null,
  created_at timestamptz not null,
  revoked_at timestamptz,
  foreign key (merchant_id, location_id) references locations
);

-- Lists the keys of a merchant, and revokes one.
create unique index publishable_keys_id on publishable_keys (merchant_id, key_id);
