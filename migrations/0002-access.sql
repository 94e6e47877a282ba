-- Who may come in. These are looked up before the merchant is known, so they are keyed by hash or by their own id.

create table applications (
  application_id text primary key,
  name text not null,
  created_at timestamptz not null
);

create table access_tokens (
  token_hash bytea primary key,
  merchant_id text not null,
  application_id text not null references applications,
  permissions text[] not null,
  -- What people call it; the hash cannot be shown back to them.
  label text not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz
);

create index access_tokens_merchant on access_tokens (merchant_id, created_at);

-- The owner's account: signs in to the dashboard and grants applications (decision 0051).
create table accounts (
  account_id uuid primary key,
  merchant_id text not null,
  email text not null,
  password_hash text not null,
  created_at timestamptz not null
);

create unique index accounts_email on accounts (lower(email));
create index accounts_merchant on accounts (merchant_id);

create table sessions (
  token_hash bytea primary key,
  account_id uuid not null references accounts,
  merchant_id text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  revoked_at timestamptz
);

create index sessions_account on sessions (account_id);

-- Failed attempts to sign in, by hash of whom they were for, so that guessing is slow on every server at once.
create table sign_in_attempts (
  subject_hash bytea primary key,
  failures integer not null,
  window_ends_at timestamptz not null
);
