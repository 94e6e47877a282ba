-- The directory of credentials: which merchant a credential belongs to. Everything else about it is with the merchant.

-- A credential arrives before its merchant is known. Its hash is looked up here, and then all other rows by merchant. In a distributed
-- database this table is placed by hash, and the tables of credentials by merchant (decision 0134). A row never changes.
create table credential_directory (
  -- The hash of a code, token or key, or of the token of a session.
  hash bytea primary key,
  merchant_id text not null,
  created_at timestamptz not null
);

-- Finds new rows whose credential does not exist, because its server crashed.
create index credential_directory_created on credential_directory (created_at, hash);

insert into credential_directory (hash, merchant_id, created_at)
select code_hash, merchant_id, expires_at - interval '5 minutes' from authorization_codes
union all
select token_hash, merchant_id, created_at from refresh_tokens
union all
select token_hash, merchant_id, created_at from access_tokens
union all
select token_hash, merchant_id, created_at from sessions
union all
select token_hash, merchant_id, created_at from device_tokens
union all
select token_hash, merchant_id, created_at from register_sessions
union all
select key_hash, merchant_id, created_at from publishable_keys;

alter table authorization_codes drop constraint authorization_codes_pkey;
alter table authorization_codes add primary key (merchant_id, code_hash);
alter table refresh_tokens drop constraint refresh_tokens_pkey;
alter table refresh_tokens add primary key (merchant_id, token_hash);
alter table access_tokens drop constraint access_tokens_pkey;
alter table access_tokens add primary key (merchant_id, token_hash);
alter table sessions drop constraint sessions_pkey;
alter table sessions add primary key (merchant_id, token_hash);
alter table device_tokens drop constraint device_tokens_pkey;
alter table device_tokens add primary key (merchant_id, token_hash);
alter table register_sessions drop constraint register_sessions_pkey;
alter table register_sessions add primary key (merchant_id, token_hash);
alter table publishable_keys drop constraint publishable_keys_pkey;
alter table publishable_keys add primary key (merchant_id, key_hash);

-- Lists the sessions of an account, and ends them when the password changes.
drop index sessions_account;
create index sessions_account on sessions (merchant_id, account_id);

-- Retention (decision 0078), merchant by merchant.
drop index authorization_codes_expired;
create index authorization_codes_expired on authorization_codes (merchant_id, expires_at);
drop index refresh_tokens_expired;
create index refresh_tokens_expired on refresh_tokens (merchant_id, expires_at) where expires_at is not null;
drop index access_tokens_expired;
create index access_tokens_expired on access_tokens (merchant_id, expires_at) where authorization_id is not null;
drop index sessions_expired;
create index sessions_expired on sessions (merchant_id, expires_at);
drop index register_sessions_expired;
create index register_sessions_expired on register_sessions (merchant_id, expires_at);

-- The application of personal tokens. It was registered with the first token. All merchants share it, so that would be a write outside of
-- the merchant.
insert into applications (application_id, name, created_at)
values ('sq0idp-TillhousePersonal0000', 'Personal access tokens', '2026-11-16T00:00:00Z')
on conflict (application_id) do nothing;
