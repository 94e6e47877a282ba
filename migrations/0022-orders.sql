-- Orders of online stores, each with a sale that is open until it is paid.

create table orders (
  merchant_id text not null,
  order_id text not null,
  location_id text not null,
  state text not null check (state in ('PENDING', 'OPEN', 'COMPLETED', 'CANCELED', 'REFUNDED', 'REJECTED')),
  -- All times are in whole seconds (decision 0010).
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- Until when it can be paid.
  expires_at timestamptz not null,
  -- With the token the shopper pays and reads the order.
  token_hash bytea not null,
  -- The shop page's own id for it, and a hash of what it sent.
  client_id text not null,
  request_hash bytea not null,
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
  -- As it was given.
  shipping_address json not null,
  buyer_note text,
  promo_code text,
  tracking_number text,
  completed_note text,
  canceled_note text,
  refunded_note text,
  -- Its past actions in order, each with its time.
  history jsonb not null,
  primary key (merchant_id, order_id),
  foreign key (merchant_id, location_id) references locations,
  foreign key (merchant_id, sale_id) references sales,
  constraint orders_total check (total = subtotal + shipping + tax + discount)
);

-- v1 listOrders of a location.
create index orders_created on orders (merchant_id, location_id, created_at, order_id);
-- The order of a shopper's token.
create unique index orders_token on orders (merchant_id, token_hash);
-- A shop page sends each order once.
create unique index orders_client_id on orders (merchant_id, location_id, client_id);
-- The order whose sale the processor answered about.
create unique index orders_sale on orders (merchant_id, sale_id);
