/** Laws of authorizations, codes and tokens. */
import type { Law } from './law.js';

export const OAUTH_LAWS: readonly Law[] = [
  {
    name: 'an access token has the application of its authorization, no additional permissions, and an expiry',
    statement: `
      select t.merchant_id, left(encode(t.token_hash, 'hex'), 16) as subject,
        format('%s of %s until %s', t.permissions, t.application_id, t.expires_at) as found
      from access_tokens t
      join authorizations g using (merchant_id, authorization_id)
      where g.application_id <> t.application_id or not t.permissions <@ g.permissions or t.expires_at is null`,
  },
  {
    name: 'an authorization has refresh tokens if and only if its code was used',
    statement: `
      select c.merchant_id, c.authorization_id as subject, format('used %s, tokens %s', c.used_at, r.tokens) as found
      from authorization_codes c
      cross join lateral (
        select count(*) as tokens
        from refresh_tokens r
        where r.merchant_id = c.merchant_id and r.authorization_id = c.authorization_id
      ) r
      where (c.used_at is not null) <> (r.tokens > 0)`,
  },
  {
    name: 'an authorization has one permanent refresh token, or one unused single-use refresh token',
    statement: `
      select merchant_id, authorization_id as subject,
        format(
          '%s tokens, %s permanent, %s unused', count(*), count(*) filter (where expires_at is null),
          count(*) filter (where used_at is null)
        ) as found
      from refresh_tokens
      group by merchant_id, authorization_id
      having case count(*) filter (where expires_at is null)
        when 0 then count(*) filter (where used_at is null) <> 1
        else count(*) <> 1
      end`,
  },
];
