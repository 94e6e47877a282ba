-- The merchant's people and what their roles let them do at the register.

create table roles (
  merchant_id text not null references merchants,
  role_id text not null,
  name text not null,
  permissions text[] not null,
  is_owner boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, role_id)
);

create index roles_created on roles (merchant_id, created_at, role_id);

create table employees (
  merchant_id text not null references merchants,
  employee_id uuid not null,
  first_name text not null,
  last_name text not null,
  email text,
  phone_number text,
  external_id text,
  -- An employee has at most one role (spec 2).
  role_id text,
  -- v1 calls them authorized_location_ids, v2 location_ids.
  location_ids text[] not null,
  status text not null check (status in ('ACTIVE', 'INACTIVE')),
  is_owner boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, employee_id),
  constraint employees_role foreign key (merchant_id, role_id) references roles
);

create index employees_created on employees (merchant_id, created_at, employee_id);
create index employees_updated on employees (merchant_id, updated_at);
create index employees_status on employees (merchant_id, status, created_at, employee_id);
create index employees_external on employees (merchant_id, external_id, created_at, employee_id);
create index employees_role on employees (merchant_id, role_id);
