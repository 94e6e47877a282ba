-- What `tillhouse check` has found and somebody has explained, so that it does not hide the next finding (decision 0248).
create table acknowledged_breaches (
  merchant_id text not null,
  -- The name of the law, which is a sentence.
  law text not null,
  -- The id of the record, and its wrong values. With other values the same record breaks the law anew.
  subject text not null,
  found text not null,
  reason text not null,
  -- In real time.
  acknowledged_at timestamptz not null,
  primary key (merchant_id, law, subject, found)
);
