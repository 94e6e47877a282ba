-- A refund of a sale that was paid with returned goods gives back what was paid for these goods (decision 0226).

-- The payment of an earlier sale that the money goes back to. Null: the payment that is refunded.
alter table refunds add column returned_to text;
-- The exchanges through which it goes back: from the one that paid for the refunded sale to the one of the payment above.
alter table refunds add column exchange_ids text[];

-- The refunds that a payment has paid for other sales.
create index refunds_returned_to on refunds (merchant_id, returned_to) where returned_to is not null;
