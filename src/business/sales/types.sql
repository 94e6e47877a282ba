-- The types of sales/functions.sql.

-- The sale of a captured payment that an application created.
create type api_sale as (
  merchant_id text,
  sale_id text,
  location_id text,
  captured_at timestamptz
);
