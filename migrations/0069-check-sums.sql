-- What the rows of each merchant are, in one number for each table, so that the next check notices rows that are gone (decision 0259). Null if
-- an earlier version has checked.
alter table check_progress add column sums json;
