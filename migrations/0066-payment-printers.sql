-- The version of the printer of a copy of the v2 JSON of a payment is a hash (decision 0256). The version before reads copies by a number: 2
-- says that v2_json_printer has the version, so it ignores such a copy, and leaves those of such a merchant alone.
alter table payments add column v2_json_printer text;

-- All printers that have begun to renew the copies of the merchant. The last one has come as far as renewed_up_to.
alter table payment_copies add column printers text[];
