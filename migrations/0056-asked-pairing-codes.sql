-- Who has typed the code of a register: the person there is asked before it is paired (decision 0151).
alter table pairing_codes
add column merchant_id text,
add column account_id uuid,
-- The device as it will be.
add column device_id text,
add column device_name text,
add column location_id text;
