-- The owner's dashboard: who made a refund, and how sales and orders are found.

-- The account of the owner who made the refund. Null for refunds of applications and registers, and of older versions of the program.
alter table refunds add column account_id uuid;

-- Sales by the amount of a tender. payments_total has those of cards; this one costs a card payment nothing.
create index payments_total_by_hand on payments (merchant_id, total, payment_id) where source_type <> 'CARD';
-- Sales by the amount of several tenders together, without tips.
create index sales_split on sales (merchant_id, due) where cardinality(tender_ids) > 1;
-- Sales by the references of applications. Only payments with a reference have an entry.
create index payments_reference on payments (merchant_id, (details ->> 'reference_id'))
  where details ->> 'reference_id' is not null;
-- Sales by the order id of an application. Generated order ids begin with the time, so new entries are next to each other.
create index payments_order on payments (merchant_id, (details ->> 'order_id')) where channel = 'API';

-- The disputes of a payment, also those that have ended.
create index holds_payment on holds (merchant_id, payment_id);

-- Orders of all locations, also in one state.
create index orders_everywhere on orders (merchant_id, created_at, order_id);
create index orders_state on orders (merchant_id, state, created_at, order_id);

-- The deliveries about a record.
create index webhook_deliveries_entity on webhook_deliveries (merchant_id, entity_id, created_at);
