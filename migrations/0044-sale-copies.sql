-- A cache: sales as v1 lists them (decision 0199). Who prints a sale for a list for the second time keeps the text here.
create table sale_copies (
  merchant_id text not null,
  sale_id text not null,
  -- The version of the printer (src/business/paid-sales/copy-queries.ts). A copy of another version is ignored.
  version smallint not null,
  -- The versions of the rows that were printed: xmin of the sale and of its payments. A copy of other rows is ignored.
  stamp text not null,
  v1_json text not null,
  primary key (merchant_id, sale_id)
);
