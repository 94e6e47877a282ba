-- A retry of a tender of a register is compared with the request that took the tender (decision 0212).

-- The hash of that request. Null: not of a register, or taken by an earlier version.
alter table payments add column register_request_hash bytea;
