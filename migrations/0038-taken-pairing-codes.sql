-- A code that the owner has typed stays here until it expires, so that its register knows that it is being paired.
alter table pairing_codes
-- When the owner typed the code. It cannot be used again.
add column taken_at timestamptz;
