-- What a processor calls a payment, for a processor that gives payments ids of its own. Written before the money moves, so that a call can
-- always be continued (decision 0187). Looked up by the payment.
create table processor_references (
  merchant_id text not null,
  payment_id text not null,
  reference text not null,
  primary key (merchant_id, payment_id)
);
