/** The laws of what merchants allow applications: each names every row that breaks it. */
import type { Law } from './law.js';

export const OAUTH_LAWS: readonly Law[] = [
  {
    name: 'a token may do no more than was allowed, for whom it was allowed, and not for ever',
    statement: `
      select t.merchant_id, left(encode(t.token_hash, 'hex'), 16) as subject,
        format('%s of %s until %s', t.permissions, t.application_id, t.expires_at) as found
      from access_tokens t
      join authorizations g using (merchant_id, authorization_id)
      where g.application_id <> t.application_id or not t.permissions <@ g.permissions or t.expires_at is null`,
  },
  {
    name: 'a code that was used gave tokens, and no other code did',
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
    name: 'an authorization has one refresh token for ever, or one of one use that was not used yet',
    statement: `
      select merchant_id, authorization_id as subject,
        format(
          '%s in all, %s for ever, %s not used', count(*), count(*) filter (where expires_at is null),
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
