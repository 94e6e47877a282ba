-- Idempotency keys: the same request with the same key makes nothing a second time (decision 0027).

-- A key belongs to a merchant, an application and an operation, and lives as long as what it made.
create table idempotency_keys (
  merchant_id text not null,
  application_id text not null,
  operation text not null,
  -- createRefund: the sale and a hash of the key, so that a key may have any length.
  key text not null,
  request_hash bytea not null,
  -- The payment or the refund.
  made_id text not null,
  primary key (merchant_id, application_id, operation, key)
);
