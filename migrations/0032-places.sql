-- Open dashboards, pairing codes, and when devices and personal tokens were last used.

-- The merchants whose changes somebody watches in the dashboard. Servers tell each other by it, because they know the row from the cache of
-- credentials: those with an open stream write that they watch, and the others write what changed (decision 0150).
create table merchant_watches (
  merchant_id text primary key references merchants,
  -- Until when each server watches, by its id: real time in milliseconds.
  watchers jsonb not null,
  -- The last change of each topic that each server has announced: {"server": {"at": 1, "sales": 1}}, in milliseconds.
  marks jsonb not null
);

-- Registers that wait to be paired. They come before any merchant is known, and live for ten minutes (decision 0151).
create table pairing_codes (
  -- The keyed hash of the six digits that the register shows.
  code_hash bytea primary key,
  -- The hash of the register's own secret. It becomes the device token.
  token_hash bytea not null unique,
  created_at timestamptz not null,
  expires_at timestamptz not null
);

-- Deletes expired codes.
create index pairing_codes_expired on pairing_codes (expires_at);

-- Real time, recorded every few minutes.
alter table devices add column last_seen_at timestamptz;
alter table access_tokens add column last_used_at timestamptz;
