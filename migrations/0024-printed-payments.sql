-- Payments and refunds are printed by functions of the program, not of the schema (decision 0131).

-- The v2 JSON of a payment becomes a copy with a version: that of the function that printed it. The program prints it when it
-- changes a payment. A copy of another version is ignored and renewed in the background, so that a new field of the JSON needs no
-- rewrite of the table.
alter table payments alter column v2_json drop expression;
-- All copies so far are of version 1. A default of a new column rewrites no rows.
alter table payments add column v2_json_version smallint default 1;
alter table payments alter column v2_json_version drop default;
alter table payments add constraint payments_v2_json check (v2_json is null or v2_json_version is not null);

drop function printed_payment;
drop function printed_refund;

-- How far the copies of a merchant's payments are renewed. A merchant without a row has not been visited yet.
create table payment_copies (
  merchant_id text primary key,
  version smallint not null,
  -- The last payment that was visited. Null: all of them.
  renewed_up_to text
);

insert into payment_copies (merchant_id, version)
select merchant_id, 1
from merchants;
