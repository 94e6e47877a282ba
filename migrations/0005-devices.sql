-- Points of sale: which devices are paired, who may sign in at them, and what they have sent already.

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

create index device_tokens_device on device_tokens (merchant_id, device_id);

create table employee_passcodes (
  merchant_id text not null,
  employee_id uuid not null,
  passcode_hash text not null,
  primary key (merchant_id, employee_id),
  foreign key (merchant_id, employee_id) references employees
);

create table register_sessions (
  token_hash bytea primary key,
  merchant_id text not null,
  device_id text not null,
  employee_id uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz
);

create index register_sessions_employee on register_sessions (merchant_id, employee_id) where ended_at is null;

-- Every write of a register carries an id of its own making: sending it again answers what it answered before.
create table register_writes (
  merchant_id text not null,
  device_id text not null,
  client_id text not null,
  request_hash bytea not null,
  answer jsonb,
  created_at timestamptz not null,
  primary key (merchant_id, device_id, client_id)
);
