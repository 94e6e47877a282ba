/** Laws of the directory of credentials. */
import type { Law } from './law.js';

export const DIRECTORY_LAWS: readonly Law[] = [
  {
    // A credential without an entry cannot be used. A crash can leave one, which the server then deletes within two hours.
    name: 'the directory has an entry for every credential, with its merchant',
    statement: `
      with listed as materialized (
        select hash, merchant_id
        from credential_directory
      )
      select c.merchant_id, c.kind || ' ' || left(encode(c.hash, 'hex'), 16) as subject,
        coalesce('listed for ' || listed.merchant_id, 'not listed') as found
      from (
        select merchant_id, code_hash as hash, expires_at as made_at, 'code' as kind from authorization_codes
        union all
        select merchant_id, token_hash, created_at, 'refresh token' from refresh_tokens
        union all
        select merchant_id, token_hash, created_at, 'access token' from access_tokens
        union all
        select merchant_id, token_hash, created_at, 'session' from sessions
        union all
        select merchant_id, token_hash, created_at, 'device token' from device_tokens
        union all
        select merchant_id, token_hash, created_at, 'register session' from register_sessions
        union all
        select merchant_id, key_hash, created_at, 'publishable key' from publishable_keys
      ) as c
      left join listed on listed.hash = c.hash
      where listed.merchant_id <> c.merchant_id
        or (listed.merchant_id is null and c.made_at < now() - interval '2 hours')`,
  },
];
