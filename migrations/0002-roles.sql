-- Roles: sets of permissions that employees have at registers.

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

-- v1 listEmployeeRoles, by the time of creation.
create index roles_created on roles (merchant_id, created_at, role_id);
