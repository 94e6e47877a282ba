-- OAuth 2.0: applications, the permissions that merchants granted to them, and the codes and tokens that were issued.

-- Not data of one merchant: an owner or the operator registers an application, and any merchant can authorize it.
create table applications (
  application_id text primary key,
  name text not null,
  -- The merchant whose owner registered the application. Null if the operator did.
  merchant_id text,
  -- CONFIDENTIAL if the application can keep a secret, otherwise PUBLIC.
  client_type text not null default 'CONFIDENTIAL',
  redirect_urls text[] not null default '{}',
  -- If null, the application cannot authenticate with a secret.
  secret_hash bytea,
  created_at timestamptz not null,
  constraint applications_client_type check (
    client_type = 'CONFIDENTIAL' or (client_type = 'PUBLIC' and secret_hash is null)
  )
);

-- Finds an application that authenticates with its secret alone.
create unique index applications_secret on applications (secret_hash);
-- The applications that an owner registered.
create index applications_merchant on applications (merchant_id, created_at);

-- One row for each consent. If it is revoked, all codes and tokens that were issued for it are invalid.
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

-- Revokes all authorizations that a merchant granted to an application; lists the applications of a merchant.
create index authorizations_application on authorizations (merchant_id, application_id);

-- Codes and tokens are looked up before the merchant is known, so they are keyed by hash.
create table authorization_codes (
  code_hash bytea primary key,
  merchant_id text not null,
  authorization_id text not null,
  redirect_url text not null,
  -- The PKCE challenge (RFC 7636): the SHA-256 of the client's verifier. Null if the client does not use PKCE.
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
  -- Tokens of public applications expire and can be used once. If null, the token never expires and can be used repeatedly.
  expires_at timestamptz,
  used_at timestamptz,
  foreign key (merchant_id, authorization_id) references authorizations
);

-- Finds out whether tokens were issued for an authorization.
create index refresh_tokens_authorization on refresh_tokens (merchant_id, authorization_id);
-- An authorization has at most one unused single-use token.
create unique index refresh_tokens_current on refresh_tokens (merchant_id, authorization_id)
  where expires_at is not null and used_at is null;
-- Retention (decision 0078).
create index refresh_tokens_expired on refresh_tokens (expires_at) where expires_at is not null;

create table access_tokens (
  token_hash bytea primary key,
  merchant_id text not null,
  application_id text not null references applications,
  -- Null for a personal token, which an owner or the operator created.
  authorization_id text,
  permissions text[] not null,
  -- A name for people, because the token itself cannot be shown again.
  label text not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  foreign key (merchant_id, authorization_id) references authorizations
);

-- The tokens of a merchant.
create index access_tokens_merchant on access_tokens (merchant_id, created_at);
-- Retention (decision 0078). Only tokens of authorizations: personal tokens stay in the list.
create index access_tokens_expired on access_tokens (expires_at) where authorization_id is not null;
