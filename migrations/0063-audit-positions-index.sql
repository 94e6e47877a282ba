-- Concurrently: Events that have no position yet, oldest first, and those after a position (decision 0244).

create index concurrently if not exists audit_events_positions on audit_events (position, occurred_at, audit_event_id);
