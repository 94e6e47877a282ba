-- Online stores of locations: shipping cost, promo codes and items.

create table stores (
  merchant_id text not null,
  location_id text not null,
  -- A flat amount for each order.
  shipping bigint not null check (shipping >= 0),
  -- Codes with the rate of their discount on the items: read as a whole, never searched.
  promo_codes json not null,
  primary key (merchant_id, location_id),
  foreign key (merchant_id, location_id) references locations
);

create table catalogue_items (
  merchant_id text not null,
  location_id text not null,
  item_id text not null,
  name text not null,
  description text,
  category text,
  sku text,
  price bigint not null check (price >= 0),
  -- A tax that is added to the price. The rate is in millionths.
  tax_name text,
  tax_rate integer check (tax_rate between 0 and 1000000),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, item_id),
  foreign key (merchant_id, location_id) references locations,
  constraint catalogue_items_tax check ((tax_name is null) = (tax_rate is null))
);

-- Lists the catalogue of a store.
create index catalogue_items_location on catalogue_items (merchant_id, location_id, created_at, item_id);
