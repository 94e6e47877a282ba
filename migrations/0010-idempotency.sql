-- Idempotency keys: retries with the same key have no further effect (decision 0027).

-- A key belongs to a merchant, an application and an operation. It is kept as long as the record that it created.
create table idempotency_keys (
  merchant_id text not null,
  application_id text not null,
  operation text not null,
  -- createRefund: the sale and a hash of the key, because a key can have any length.
  key text not null,
  request_hash bytea not null,
  -- The payment or refund that the request created.
  made_id text not null,
  primary key (merchant_id, application_id, operation, key)
);
