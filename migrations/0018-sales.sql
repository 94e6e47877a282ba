-- Sales, which v1 calls payments. A sale is paid by one or more payments, which v1 calls tenders.

create table sales (
  merchant_id text not null,
  sale_id text not null,
  location_id text not null,
  -- API: an application charged a card. The sale has one payment, with the same id, and no receipt.
  -- REGISTER: an employee rang it up at a device. ONLINE_STORE: a shopper placed an order.
  kind text not null check (kind in ('API', 'REGISTER', 'ONLINE_STORE')),
  state text not null check (state in ('OPEN', 'COMPLETED', 'CANCELED')),
  -- The time by which v1 lists the sale (decision 0026): the time of the first tender while the sale is open, then of the
  -- last one. Null before the first tender.
  created_at timestamptz,
  -- REGISTER: the device and the employee, the id that the register created, and a hash of the request.
  device_id text,
  device_name text,
  employee_id uuid,
  register_sale_id text,
  request_hash bytea,
  -- The columns from here to tender_ids are for REGISTER and ONLINE_STORE. rung_up_at: when the sale was rung up or the
  -- order was placed.
  rung_up_at timestamptz,
  -- Both without tips. paid is the sum of the captured tenders.
  due bigint check (due >= 0),
  paid bigint not null default 0,
  -- Sums, lines and items in the format of the model, with a version (src/business/receipts/stored.ts): written once, read
  -- as a whole.
  receipt json,
  -- A cache: the v1 JSON of the receipt, and the version of its printer (src/business/receipts/v1.print.ts). A copy of
  -- another version is ignored.
  v1_receipt text,
  v1_receipt_version smallint,
  -- In the order in which they were taken.
  tender_ids text[],
  -- The v1 id: the id of the first tender, or the sale_id if there is no tender (decision 0014).
  v1_id text not null generated always as (coalesce(tender_ids[1], sale_id)) stored,
  primary key (merchant_id, sale_id),
  constraint sales_register check (
    num_nonnulls(device_id, device_name, employee_id, register_sale_id, request_hash)
      = case kind when 'REGISTER' then 5 else 0 end
  ),
  constraint sales_receipt check (
    num_nonnulls(rung_up_at, due, receipt, tender_ids) = case kind when 'API' then 0 else 4 end
  ),
  constraint sales_v1_receipt check (
    (v1_receipt is null) = (v1_receipt_version is null) and (v1_receipt is null or receipt is not null)
  ),
  constraint sales_api check (kind <> 'API' or state = 'COMPLETED'),
  constraint sales_listed check (state <> 'COMPLETED' or created_at is not null),
  constraint sales_paid check (paid between 0 and due and (state <> 'COMPLETED' or paid = due))
);

-- Lists of a location: v1 listPayments, v2 listTransactions.
create index sales_created on sales (merchant_id, location_id, created_at, v1_id);
-- v1 listPayments of all locations.
create index sales_everywhere on sales (merchant_id, created_at, v1_id);
-- A register can create each sale only once. Also finds a sale by the id that the register created.
create unique index sales_register_id on sales (merchant_id, device_id, register_sale_id)
  where kind = 'REGISTER';
