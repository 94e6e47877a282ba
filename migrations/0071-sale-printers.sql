-- The versions of the printers of receipts and of copies of sales are hashes (decision 0261). The version before reads copies by a number: 3 in
-- v1_receipt_version and 4 in version say that these columns have the version, so it ignores such copies.
alter table sales add column v1_receipt_printer text;
alter table sale_copies add column printer text;
