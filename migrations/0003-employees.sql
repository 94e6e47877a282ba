-- The merchant's people. Access comes after them, since employees sign in at registers.

create table employees (
  merchant_id text not null references merchants,
  employee_id uuid not null,
  first_name text not null,
  last_name text not null,
  email text,
  phone_number text,
  external_id text,
  -- An employee has at most one role (contract 2).
  role_id text,
  -- v1 calls them authorized_location_ids, v2 location_ids. Empty: every location.
  location_ids text[] not null,
  status text not null check (status in ('ACTIVE', 'INACTIVE')),
  is_owner boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, employee_id),
  -- Its name becomes a refusal (src/database/constraints.ts).
  constraint employees_role foreign key (merchant_id, role_id) references roles
);

-- Lists of both generations, by the time of creation.
create index employees_created on employees (merchant_id, created_at, employee_id);
-- v1 listEmployees by a range of changes.
create index employees_updated on employees (merchant_id, updated_at);
-- Lists of one status.
create index employees_status on employees (merchant_id, status, created_at, employee_id);
-- v1 listEmployees by external_id.
create index employees_external on employees (merchant_id, external_id, created_at, employee_id);
