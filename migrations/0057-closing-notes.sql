-- Who closes a drawer with another sum than the expected one says why, and the Z report shows it (decision 0236).

-- What was written at the count. Null: nothing was, or the drawer is not closed, or an earlier version of the server closed it.
alter table cash_drawer_shifts add column closing_note text;
