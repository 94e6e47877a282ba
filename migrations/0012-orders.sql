-- The online store: what a location sells there, the keys that open its checkout, and the orders that come of it.

create table stores (
  merchant_id text not null,
  location_id text not null,
  -- A flat amount an order.
  shipping bigint not null check (shipping >= 0),
  -- Each a code and the part of the goods' price that it takes off: read as a whole, never searched.
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
  -- What comes on top of the price, in millionths of it; none without a name.
  tax_name text,
  tax_rate integer check (tax_rate between 0 and 1000000),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, item_id),
  foreign key (merchant_id, location_id) references locations,
  constraint catalogue_items_tax check ((tax_name is null) = (tax_rate is null))
);

create index catalogue_items_location on catalogue_items (merchant_id, location_id, created_at, item_id);

-- No secret, but looked up before the merchant is known, so keyed by hash like the others.
create table publishable_keys (
  key_hash bytea primary key,
  merchant_id text not null,
  key_id text not null,
  location_id text not null,
  created_at timestamptz not null,
  revoked_at timestamptz,
  foreign key (merchant_id, location_id) references locations
);

create unique index publishable_keys_id on publishable_keys (merchant_id, key_id);

create table orders (
  merchant_id text not null,
  order_id text not null,
  location_id text not null,
  state text not null check (state in ('PENDING', 'OPEN', 'COMPLETED', 'CANCELED', 'REFUNDED', 'REJECTED')),
  -- In whole seconds, all of them (decision 0010).
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Until when it can be paid.
  expires_at timestamptz not null,
  -- By which whoever placed it pays and reads it.
  token_hash bytea not null,
  -- The shop page's own id, and what it sent with it.
  client_id text not null,
  request_hash bytea not null,
  -- What v1 shows as its payment: open until it is paid, given up where it never is.
  sale_id text not null,
  currency text not null,
  subtotal bigint not null check (subtotal >= 0),
  shipping bigint not null check (shipping >= 0),
  tax bigint not null check (tax >= 0),
  discount bigint not null check (discount <= 0),
  total bigint not null check (total > 0),
  buyer_email text not null,
  recipient_name text not null,
  recipient_phone_number text,
  -- Kept as it was given.
  shipping_address json not null,
  buyer_note text,
  promo_code text,
  tracking_number text,
  completed_note text,
  canceled_note text,
  refunded_note text,
  -- What became of it, in order: an action and its time each.
  history jsonb not null,
  primary key (merchant_id, order_id),
  foreign key (merchant_id, location_id) references locations,
  foreign key (merchant_id, sale_id) references sales,
  constraint orders_total check (total = subtotal + shipping + tax + discount)
);

create index orders_created on orders (merchant_id, location_id, created_at, order_id);
create unique index orders_token on orders (merchant_id, token_hash);
create unique index orders_client_id on orders (merchant_id, location_id, client_id);
create unique index orders_sale on orders (merchant_id, sale_id);

-- An order is paid, or declined, once.
create unique index payments_checkout on payments (merchant_id, sale_id) where application_id = 'checkout';
