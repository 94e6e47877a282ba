-- The tenants: every other table's key begins with the merchant_id that is made here.

create table merchants (
  merchant_id text primary key,
  business_name text not null,
  owner_name text not null,
  owner_email text,
  country text not null,
  language_code text not null,
  currency text not null,
  business_type text not null,
  status text not null check (status in ('ACTIVE', 'INACTIVE')),
  -- Decision 0020: employee management is for approved accounts.
  approved boolean not null,
  is_demo boolean not null default false,
  -- Decision 0040: real time plus a distance, or standing still.
  clock_offset_ms bigint not null default 0,
  clock_frozen_at timestamptz,
  created_at timestamptz not null
);

-- There is one demo business at most.
create unique index merchants_demo on merchants (is_demo) where is_demo;

create table locations (
  merchant_id text not null references merchants,
  location_id text not null,
  name text not null,
  timezone text not null,
  status text not null check (status in ('ACTIVE', 'INACTIVE')),
  type text not null check (type in ('PHYSICAL', 'MOBILE')),
  -- Address, phone, opening hours and the like: read as a whole, never searched.
  profile jsonb not null,
  created_at timestamptz not null,
  -- The order in which they were opened; the first is the main one.
  ordinal integer not null,
  primary key (merchant_id, location_id),
  unique (merchant_id, ordinal)
);
