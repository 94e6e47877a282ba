-- The catalogue of a merchant, for registers and online stores (decision 0144). The items of online stores move into it.

create table catalogues (
  merchant_id text not null,
  -- Every change of the catalogue adds one. Registers ask for it.
  version bigint not null,
  primary key (merchant_id)
);

create table categories (
  merchant_id text not null,
  category_id text not null,
  name text not null,
  -- Each record has a version too: an editor replaces only what it has seen.
  version integer not null,
  primary key (merchant_id, category_id),
  constraint categories_name unique (merchant_id, name)
);

create table taxes (
  merchant_id text not null,
  tax_id text not null,
  name text not null,
  -- In millionths.
  rate integer not null check (rate between 0 and 1000000),
  inclusion text not null check (inclusion in ('ADDITIVE', 'INCLUSIVE')),
  -- Null: all locations.
  location_ids text[] check (cardinality(location_ids) > 0),
  -- Otherwise items name it.
  applies_to_all boolean not null,
  version integer not null,
  primary key (merchant_id, tax_id)
);

create table modifier_lists (
  merchant_id text not null,
  modifier_list_id text not null,
  name text not null,
  least integer not null check (least >= 0),
  -- Null: as many as there are options.
  most integer check (most > 0 and most >= least),
  -- Id, name and price of each option: read as a whole, never searched.
  options json not null,
  version integer not null,
  primary key (merchant_id, modifier_list_id)
);

create table discounts (
  merchant_id text not null,
  discount_id text not null,
  name text not null,
  rate integer check (rate between 0 and 1000000),
  amount bigint check (amount >= 0),
  -- Requires a permission at registers.
  restricted boolean not null,
  version integer not null,
  primary key (merchant_id, discount_id),
  constraint discounts_measure check ((rate is null) <> (amount is null))
);

-- Finds the restricted discounts for a sale at a register.
create index discounts_restricted on discounts (merchant_id) where restricted;

create table items (
  merchant_id text not null,
  item_id text not null,
  name text not null,
  description text,
  category_id text,
  picture_id text,
  -- Null: all locations.
  location_ids text[] check (cardinality(location_ids) > 0),
  online boolean not null,
  archived boolean not null,
  -- Id, name, SKU and price of each variation: read as a whole, never searched.
  variations json not null check (json_array_length(variations) > 0),
  modifier_list_ids text[] not null,
  tax_ids text[] not null,
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, item_id),
  constraint items_category foreign key (merchant_id, category_id) references categories
);

-- Serves the foreign key, and finds the items of a category that is deleted.
create index items_category on items (merchant_id, category_id);

-- Each item of a store becomes an item with one variation. Past orders name the id of the item, and ids of variation and tax that were
-- derived from it (decision 0054): these are the ids of the new records.
create function pg_temp.derive_uuid(variadic p_words text[]) returns text
language plpgsql as $$
declare
  v_bytes bytea := substring(sha256(convert_to(array_to_string(p_words, E'\n'), 'UTF8')) from 1 for 16);
begin
  v_bytes := set_byte(v_bytes, 6, (get_byte(v_bytes, 6) & 15) | 128);
  v_bytes := set_byte(v_bytes, 8, (get_byte(v_bytes, 8) & 63) | 128);
  return encode(v_bytes, 'hex')::uuid::text;
end
$$;

-- A copy on this node: the rows may be distributed, and the function above is not.
create temporary table moved_items on commit drop as
select * from catalogue_items;

insert into catalogues (merchant_id, version)
select distinct merchant_id, 1
from moved_items;

insert into categories (merchant_id, category_id, name, version)
select merchant_id, pg_temp.derive_uuid(merchant_id, 'category', category), category, 1
from (select distinct merchant_id, category from moved_items where category <> '') as found;

insert into taxes (merchant_id, tax_id, name, rate, inclusion, applies_to_all, version)
select
  merchant_id,
  pg_temp.derive_uuid(merchant_id, 'tax', tax_name, ((tax_rate / 1000000.0)::numeric(10, 8))::text, 'ADDITIVE'),
  tax_name, tax_rate, 'ADDITIVE', false, 1
from (select distinct merchant_id, tax_name, tax_rate from moved_items where tax_name is not null) as found;

insert into items (
  merchant_id, item_id, name, description, category_id, location_ids, online, archived, variations, modifier_list_ids,
  tax_ids, version, created_at, updated_at
)
select
  merchant_id, item_id, name, description,
  case when category <> '' then pg_temp.derive_uuid(merchant_id, 'category', category) end,
  array[location_id], true, false,
  json_build_array(json_strip_nulls(json_build_object(
    'id', pg_temp.derive_uuid(merchant_id, 'variation', item_id, 'Regular'), 'name', 'Regular', 'sku', sku, 'price', price
  ))),
  '{}',
  case
    when tax_name is null then '{}'
    else array[
      pg_temp.derive_uuid(merchant_id, 'tax', tax_name, ((tax_rate / 1000000.0)::numeric(10, 8))::text, 'ADDITIVE')
    ]
  end,
  1, created_at, updated_at
from moved_items;

drop table catalogue_items;
