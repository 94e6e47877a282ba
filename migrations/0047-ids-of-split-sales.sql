-- A sale with several tenders has a v1 id of its own (decision 0014). The id is computed from the row by `v1_id` of src/business/tenders, so
-- that sales of all versions have it at once, and no row is rewritten. The column v1_id, with the id of the first tender, only orders the
-- sales of one time from now on: the indexes of lists have it, and the version before shows it.

-- True for an open sale whose only tender paid it in full because of an edit: it keeps its own id. Null for all other sales.
alter table sales add column keeps_own_id boolean;
