-- The types of access/functions.sql.

-- A credential of any kind, and the time from which its age is counted.
create type aged_credential as (
  merchant_id text,
  hash bytea,
  at timestamptz
);
