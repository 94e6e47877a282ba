-- Up to where `tillhouse check` has read the documents of records, so that the next check reads only what is new (decision 0249).
create table check_progress (
  only_row boolean primary key default true check (only_row),
  -- The database in which the ids of transactions below were given, and the laws that were checked.
  place text not null,
  laws text not null,
  -- Every transaction with a lower id had ended, and what it wrote was checked.
  horizon bigint not null,
  -- Law, merchant and id of each record that broke a law of single records. They are checked again each time.
  open_findings json not null,
  -- In real time.
  fully_checked_at timestamptz not null
);
