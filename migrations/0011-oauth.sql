-- OAuth 2.0: what applications are, what merchants allowed them to do, and the codes and tokens that came of it.

-- The merchant whose owner registered it; none for the operator's. Without a secret nobody can speak for it.
alter table applications
  add column merchant_id text,
  add column redirect_urls text[] not null default '{}',
  add column secret_hash bytea;

create unique index applications_secret on applications (secret_hash);
create index applications_merchant on applications (merchant_id, created_at);

-- One row for each time that somebody said yes. It alone says whether what came of it still holds.
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

create index authorizations_application on authorizations (merchant_id, application_id);

-- Codes and tokens are looked up before the merchant is known, so they are keyed by hash.
create table authorization_codes (
  code_hash bytea primary key,
  merchant_id text not null,
  authorization_id text not null,
  redirect_url text not null,
  -- The SHA-256 of what only whoever began the request knows (RFC 7636); null where it was not used.
  challenge text,
  expires_at timestamptz not null,
  used_at timestamptz,
  foreign key (merchant_id, authorization_id) references authorizations
);

create unique index authorization_codes_authorization on authorization_codes (merchant_id, authorization_id);

create table refresh_tokens (
  token_hash bytea primary key,
  merchant_id text not null,
  authorization_id text not null,
  created_at timestamptz not null,
  -- Of an application without a secret: used once, until then. Null: used as often as wanted, for ever.
  expires_at timestamptz,
  used_at timestamptz,
  foreign key (merchant_id, authorization_id) references authorizations
);

create index refresh_tokens_authorization on refresh_tokens (merchant_id, authorization_id);
-- Of those that are used once, only the last one made can still be used.
create unique index refresh_tokens_current on refresh_tokens (merchant_id, authorization_id)
where expires_at is not null and used_at is null;

-- Personal tokens have no authorization.
alter table access_tokens
  add column authorization_id text,
  add foreign key (merchant_id, authorization_id) references authorizations;

create index access_tokens_authorization on access_tokens (merchant_id, authorization_id)
where authorization_id is not null;

-- A session opens the surface that it was begun at, and no other (decision 0052).
alter table sessions
  add column surface text not null default 'dashboard',
  add constraint sessions_surface check (surface in ('dashboard', 'oauth2'));
