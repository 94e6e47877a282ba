-- Accounts of owners, and their sessions on the dashboard and the consent page (decision 0051).

-- Looked up by email before the merchant is known.
create table accounts (
  account_id uuid primary key,
  merchant_id text not null,
  email text not null,
  password_hash text not null,
  created_at timestamptz not null
);

-- Finds the account at sign-in. src/database/constraints.ts converts a violation to a refusal.
create unique index accounts_email on accounts (lower(email));

create table sessions (
  token_hash bytea primary key,
  account_id uuid not null references accounts,
  merchant_id text not null,
  -- A session is valid only on the surface on which it was started (decision 0052).
  surface text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz,
  -- The last time when the password was entered, and the last use of the session.
  confirmed_at timestamptz not null,
  last_used_at timestamptz not null,
  -- The client that started the session. Null if unknown.
  address text,
  user_agent text,
  constraint sessions_surface check (surface in ('dashboard', 'oauth2'))
);

-- Lists the sessions of an account, and ends them when the password changes.
create index sessions_account on sessions (account_id);
-- Retention (decision 0078).
create index sessions_expired on sessions (expires_at);

-- Failed sign-ins, by the hash of their subject. In the database, so that all servers share the limit on guessing.
create table sign_in_attempts (
  subject_hash bytea primary key,
  failures integer not null,
  window_ends_at timestamptz not null
);

-- Retention (decision 0078).
create index sign_in_attempts_ended on sign_in_attempts (window_ends_at);
