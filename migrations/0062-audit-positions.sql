-- Every event of the audit log gets a position when it is first exported, so that an export continues where the last one ended (decision 0244).

-- Null: not exported yet. Times do not give this order, because a transaction that began earlier can commit later.
alter table audit_events add column position bigint;

-- The last position that was given. Its lock makes exports give positions one after the other.
create table audit_numbering (
  is_only_row boolean primary key default true check (is_only_row),
  last_position bigint not null
);
insert into audit_numbering (last_position) values (0);
