-- Payments and refunds are printed by functions of the program, not of the schema. The v2 JSON of a payment becomes a copy with a version. The program prints it when it changes a payment, so that a new field needs no
-- rewrite of the table: a copy of another version is ignored and renewed in the background.

alter table payments alter column v2_json drop expression;
alter table payments add column v2_json_version smallint;
update payments set v2_json_version = 1 where v2_json is not null;
alter table payments add constraint payments_v2_json check (v2_json is null or v2_json_version is not null);

drop function printed_payment;
drop function printed_refund;
