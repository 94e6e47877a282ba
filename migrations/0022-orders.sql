-- Orders of online stores. Each order has a sale, which is open until the order is paid.

create table orders (
  merchant_id text not null,
  order_id text not null,
  location_id text not null,
  state text not null check (state in ('PENDING', 'OPEN', 'COMPLETED', 'CANCELED', 'REFUNDED', 'REJECTED')),
  -- All times are in whole seconds (decision 0010).
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- The order can be paid until this time.
  expires_at timestamptz not null,
  -- The token lets the shopper read and pay the order.
  token_hash bytea not null,
  -- The id that the page of the store created, and a hash of its request.
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
  -- As the shopper entered it.
  shipping_address json not null,
  buyer_note text,
  promo_code text,
  tracking_number text,
  completed_note text,
  canceled_note text,
  refunded_note text,
  -- The past actions in order, each with its time.
  history jsonb not null,
  primary key (merchant_id, order_id),
  foreign key (merchant_id, location_id) references locations,
  foreign key (merchant_id, sale_id) references sales,
  constraint orders_total check (total = subtotal + shipping + tax + discount)
);

-- v1 listOrders of a location.
create index orders_created on orders (merchant_id, location_id, created_at, order_id);
-- Finds the order of a shopper's token.
create unique index orders_token on orders (merchant_id, token_hash);
-- The page of a store can create each order only once.
create unique index orders_client_id on orders (merchant_id, location_id, client_id);
-- Finds the order of a sale when the outcome of its payment is recorded.
create unique index orders_sale on orders (merchant_id, sale_id);
