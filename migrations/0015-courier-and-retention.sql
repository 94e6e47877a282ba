-- A delivery is taken without a new entry in any index, and what nobody can ask for any more can be found and removed.

-- Who tries a delivery now has it until then. No index knows the column, and every page has room for another version of its
-- rows, so that taking one changes the row where it lies.
alter table webhook_deliveries
  add column taken_until timestamptz,
  add constraint webhook_deliveries_taken check (taken_until is null or state = 'WAITING');
alter table webhook_deliveries set (fillfactor = 50);

-- What is told of an event: asked when the event is removed.
create index webhook_deliveries_event on webhook_deliveries (merchant_id, event_id);

-- What is over is found by time alone, whoever it was of (decision 0078).
create index webhook_events_old on webhook_events (created_at);
create index authorization_codes_expired on authorization_codes (expires_at);
create index refresh_tokens_expired on refresh_tokens (expires_at) where expires_at is not null;
create index access_tokens_expired on access_tokens (expires_at) where authorization_id is not null;
create index sessions_expired on sessions (expires_at);
create index register_sessions_expired on register_sessions (expires_at);
create index sign_in_attempts_ended on sign_in_attempts (window_ends_at);
