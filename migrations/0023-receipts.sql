-- Receipts and breakdowns are stored in the words of the model, with a version (src/business/receipts/stored.ts). A sale also keeps its receipt as v1 shows it, so that a page of v1 payments copies text instead of printing it.

alter table sales
  -- The JSON object that v1 shows of the receipt.
  add column v1_receipt text,
  -- What printed it (src/business/receipts/v1.print.ts). A copy of another version is printed anew when it is read.
  add column v1_receipt_version smallint,
  add constraint sales_v1_receipt check (
    (v1_receipt is null) = (v1_receipt_version is null) and (v1_receipt is null or receipt is not null)
  );
