-- The tenants: merchants and their locations, and the mode in which servers may open the database.

-- One row at most: the mode that the first server recorded (decision 0104).
create table database_mode (
  is_only_row boolean primary key default true check (is_only_row),
  mode text not null check (mode in ('sandbox', 'production')),
  recorded_at timestamptz not null
);

-- The key of every other table of a merchant begins with the merchant_id that is made here.
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
  -- Employee management is for approved accounts (decision 0020).
  approved boolean not null,
  -- Discounts at registers need a permission, whatever the register calls them (decision 0110).
  restricts_discounts boolean not null default false,
  -- At most one merchant is the demo business: servers that make it take a lock first.
  is_demo boolean not null default false,
  -- The merchant's clock: real time plus an offset, or a frozen time (decision 0040).
  clock_offset_ms bigint not null default 0,
  clock_frozen_at timestamptz,
  created_at timestamptz not null
);

-- Finds the demo business at a start, without reading the merchants.
create index merchants_demo on merchants (merchant_id) where is_demo;

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
  -- The order in which they were opened; the first is the main location.
  ordinal integer not null,
  primary key (merchant_id, location_id),
  -- Two locations opened at the same moment do not get the same place; lists are in this order.
  unique (merchant_id, ordinal)
);
