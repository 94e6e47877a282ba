-- Employees. The tables of access/ come later, because they refer to employees, who sign in at registers.

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
  -- v1: authorized_location_ids, v2: location_ids. Empty means all locations.
  location_ids text[] not null,
  status text not null check (status in ('ACTIVE', 'INACTIVE')),
  is_owner boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, employee_id),
  -- src/database/constraints.ts converts a violation to a refusal, by the name of the constraint.
  constraint employees_role foreign key (merchant_id, role_id) references roles
);

-- Lists of v1 and v2, by the time of creation.
create index employees_created on employees (merchant_id, created_at, employee_id);
-- v1 listEmployees with a range of updated_at.
create index employees_updated on employees (merchant_id, updated_at);
-- Lists with a status.
create index employees_status on employees (merchant_id, status, created_at, employee_id);
-- v1 listEmployees with an external_id.
create index employees_external on employees (merchant_id, external_id, created_at, employee_id);
