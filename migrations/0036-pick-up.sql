-- How the buyer gets an order of an online store (decision 0170). The default fills in what older versions of the program leave out.
alter table orders add column fulfillment text not null default 'SHIPMENT'
  constraint orders_fulfillment check (fulfillment in ('SHIPMENT', 'PICKUP'));
