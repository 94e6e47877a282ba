-- The owner's account and its sessions, which open the dashboard and the consent page (decision 0051).

-- Looked up by email before the merchant is known.
create table accounts (
  account_id uuid primary key,
  merchant_id text not null,
  email text not null,
  password_hash text not null,
  created_at timestamptz not null
);

-- Signing in; its name becomes a refusal (src/database/constraints.ts).
create unique index accounts_email on accounts (lower(email));

create table sessions (
  token_hash bytea primary key,
  account_id uuid not null references accounts,
  merchant_id text not null,
  -- A session opens the surface where it was begun, and no other (decision 0052).
  surface text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  -- When the password was last given, and when the session was last used.
  confirmed_at timestamptz not null,
  last_used_at timestamptz not null,
  -- Where it was begun; null where that is not known.
  address text,
  user_agent text,
  constraint sessions_surface check (surface in ('dashboard', 'oauth2'))
);

-- The list of an account's sessions, and ending them with a new password.
create index sessions_account on sessions (account_id);
-- Retention (decision 0078).
create index sessions_expired on sessions (expires_at);

-- Failed attempts to sign in, by the hash of what they were for, so that all servers of a database limit guessing together.
create table sign_in_attempts (
  subject_hash bytea primary key,
  failures integer not null,
  window_ends_at timestamptz not null
);

-- Retention (decision 0078).
create index sign_in_attempts_ended on sign_in_attempts (window_ends_at);
