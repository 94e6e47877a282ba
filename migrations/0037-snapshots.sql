-- Copies of all records of one merchant, which the operator of a sandbox takes and puts back (decision 0171).

-- The latest copy of each merchant, one row for each table.
create table merchant_snapshots (
  merchant_id text not null,
  table_name text not null,
  -- In real time. The same in all rows of a copy.
  taken_at timestamptz not null,
  -- Names the columns that the records have. A copy from another schema is not put back.
  schema_version text not null,
  record_count integer not null,
  -- The records as JSON, with the names of the columns. Not jsonb, which would change the text of columns that are JSON.
  records json not null,
  primary key (merchant_id, table_name)
);
