-- OAuth 2.0: applications, what merchants allowed them to do, and the codes and tokens issued for it.

-- Applications belong to no merchant's data: a merchant's owner or the operator registers them, every merchant may allow them.
create table applications (
  application_id text primary key,
  name text not null,
  -- The merchant whose owner registered it; null for the operator's.
  merchant_id text,
  -- Whether it can keep a secret.
  client_type text not null default 'CONFIDENTIAL',
  redirect_urls text[] not null default '{}',
  -- Null: nobody can authenticate as this application.
  secret_hash bytea,
  created_at timestamptz not null,
  constraint applications_client_type check (
    client_type = 'CONFIDENTIAL' or (client_type = 'PUBLIC' and secret_hash is null)
  )
);

-- An application that authenticates by its secret alone.
create unique index applications_secret on applications (secret_hash);
-- The applications that an owner registered.
create index applications_merchant on applications (merchant_id, created_at);

-- One row for each consent. It alone decides whether the codes and tokens that were issued for it are valid.
create table authorizations (
  merchant_id text not null references merchants,
  authorization_id text not null,
  application_id text not null references applications,
  permissions text[] not null,
  created_at timestamptz not null,
  revoked_at timestamptz,
  primary key (merchant_id, authorization_id),
  constraint authorizations_permissions check (cardinality(permissions) > 0)
);

-- Revoking everything that a merchant allowed an application; the applications of a merchant.
create index authorizations_application on authorizations (merchant_id, application_id);

-- Codes and tokens are looked up before the merchant is known, so they are keyed by hash.
create table authorization_codes (
  code_hash bytea primary key,
  merchant_id text not null,
  authorization_id text not null,
  redirect_url text not null,
  -- The PKCE challenge (RFC 7636): the SHA-256 of the client's verifier; null where the client used none.
  challenge text,
  expires_at timestamptz not null,
  used_at timestamptz,
  foreign key (merchant_id, authorization_id) references authorizations
);

-- An authorization has one code.
create unique index authorization_codes_authorization on authorization_codes (merchant_id, authorization_id);
-- Retention (decision 0078).
create index authorization_codes_expired on authorization_codes (expires_at);

create table refresh_tokens (
  token_hash bytea primary key,
  merchant_id text not null,
  authorization_id text not null,
  created_at timestamptz not null,
  -- Of a public application: used once, until then. Null: used any number of times, without an end.
  expires_at timestamptz,
  used_at timestamptz,
  foreign key (merchant_id, authorization_id) references authorizations
);

-- Whether an authorization was taken up: whether tokens were issued for it.
create index refresh_tokens_authorization on refresh_tokens (merchant_id, authorization_id);
-- Of tokens that are used once, an authorization has one that is still valid.
create unique index refresh_tokens_current on refresh_tokens (merchant_id, authorization_id)
  where expires_at is not null and used_at is null;
-- Retention (decision 0078).
create index refresh_tokens_expired on refresh_tokens (expires_at) where expires_at is not null;

create table access_tokens (
  token_hash bytea primary key,
  merchant_id text not null,
  application_id text not null references applications,
  -- Null for a personal token, which an owner or the operator made.
  authorization_id text,
  permissions text[] not null,
  -- The name that people gave it, since the token itself cannot be shown again.
  label text not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  foreign key (merchant_id, authorization_id) references authorizations
);

-- The tokens of a merchant.
create index access_tokens_merchant on access_tokens (merchant_id, created_at);
-- Retention (decision 0078): tokens of authorizations only, personal ones stay in the list.
create index access_tokens_expired on access_tokens (expires_at) where authorization_id is not null;
