-- Merchants and their locations, and the mode in which servers can open the database.

-- At most one row: the mode that the first server recorded (decision 0104).
create table database_mode (
  is_only_row boolean primary key default true check (is_only_row),
  mode text not null check (mode in ('sandbox', 'production')),
  recorded_at timestamptz not null
);

-- The keys of all other tables of a merchant begin with its merchant_id.
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
  -- Employee management requires an approved account (decision 0020).
  approved boolean not null,
  -- Whether all discounts at registers require a permission, whatever type the register sends (decision 0110).
  restricts_discounts boolean not null default false,
  -- At most one merchant is the demo business: a server takes a lock before it creates the demo business.
  is_demo boolean not null default false,
  -- The merchant's clock: real time plus an offset, or a frozen time (decision 0040).
  clock_offset_ms bigint not null default 0,
  clock_frozen_at timestamptz,
  created_at timestamptz not null
);

-- Finds the demo business when a server starts, without a scan of all merchants.
create index merchants_demo on merchants (merchant_id) where is_demo;

create table locations (
  merchant_id text not null references merchants,
  location_id text not null,
  name text not null,
  timezone text not null,
  status text not null check (status in ('ACTIVE', 'INACTIVE')),
  type text not null check (type in ('PHYSICAL', 'MOBILE')),
  -- Address, phone, opening hours and other descriptive fields: read as a whole, never searched.
  profile jsonb not null,
  created_at timestamptz not null,
  -- The order of creation. The first is the main location.
  ordinal integer not null,
  primary key (merchant_id, location_id),
  -- Lists are in this order. Unique, so that concurrent inserts cannot get the same number.
  unique (merchant_id, ordinal)
);
