-- Two requests with one idempotency key could store an outcome with a time before the payment was created. The later time is right.

-- The copy of the v2 JSON has the old time. The copier prints it again.
update payments
set updated_at = created_at, v2_json = null, v2_json_version = null
where updated_at < created_at;

update refunds
set updated_at = created_at
where updated_at < created_at;
