/** Valid authorizations of applications, and changes that each break exactly one law about them. */
import type { Sql } from '../../src/database/database.js';
import { allow, allowPublic, createApplication, createPublicApplication, grant, obtainToken } from './oauth.js';
import type { TestServer } from './server.js';

/** The ids of authorizations by how they were created, and the id of a token. */
export interface ValidAuthorizations {
  readonly granted: string;
  readonly exchanged: string;
  readonly neverExchanged: string;
  readonly isPublic: string;
  readonly grantedToken: string;
}

export async function createAuthorizations(
  server: TestServer,
  merchantId: string,
  owner: { readonly email: string },
): Promise<ValidAuthorizations> {
  const application = await createApplication(server);
  const { sql } = server.database;
  /** Returns the newest authorization. */
  const last = async (): Promise<string> => {
    const [row] = await sql<{ id: string }[]>`
      select authorization_id as id from authorizations order by created_at desc limit 1`;
    return row?.id ?? '';
  };
  const { access_token } = await grant(server, application, merchantId, ['PAYMENTS_READ']);
  const granted = await last();
  const code = await allow(server, application, owner);
  await obtainToken(server, { client_id: application.id, client_secret: application.secret, code });
  const exchanged = await last();
  await allow(server, application, owner);
  const neverExchanged = await last();
  const inPocket = await createPublicApplication(server);
  const { refresh_token } = await allowPublic(server, inPocket, owner);
  await obtainToken(server, { client_id: inPocket.id, grant_type: 'refresh_token', refresh_token });
  const isPublic = await last();
  const [token] = await sql<{ id: string }[]>`
    select left(encode(sha256(${access_token}::text::bytea), 'hex'), 16) as id`;
  return { granted, exchanged, neverExchanged, isPublic, grantedToken: token?.id ?? '' };
}

export const OAUTH_BREAKS = {
  'an access token has the application of its authorization, no additional permissions, and an expiry': [
    {
      how: 'the token has more permissions',
      violatingRow: ({ grantedToken }: ValidAuthorizations) => grantedToken,
      by: (sql: Sql, { granted }: ValidAuthorizations) => sql`
        update access_tokens set permissions = permissions || 'ITEMS_READ'::text where authorization_id = ${granted}`,
    },
    {
      how: 'it belongs to another application',
      violatingRow: ({ grantedToken }: ValidAuthorizations) => grantedToken,
      by: (sql: Sql, { granted }: ValidAuthorizations) => sql`
        update access_tokens set application_id = 'sq0idp-TillhousePersonal0000' where authorization_id = ${granted}`,
    },
    {
      how: 'it has no expiry',
      violatingRow: ({ grantedToken }: ValidAuthorizations) => grantedToken,
      by: (sql: Sql, { granted }: ValidAuthorizations) => sql`
        update access_tokens set expires_at = null where authorization_id = ${granted}`,
    },
  ],
  'an authorization has refresh tokens if and only if its code was used': [
    {
      how: 'its code was used, and it has no refresh token',
      violatingRow: ({ exchanged }: ValidAuthorizations) => exchanged,
      by: (sql: Sql, { exchanged }: ValidAuthorizations) => sql`
        delete from refresh_tokens where authorization_id = ${exchanged}`,
    },
    {
      how: 'it has refresh tokens, and its code is unused',
      violatingRow: ({ exchanged }: ValidAuthorizations) => exchanged,
      by: (sql: Sql, { exchanged }: ValidAuthorizations) => sql`
        update authorization_codes set used_at = null where authorization_id = ${exchanged}`,
    },
    {
      how: 'its code is marked as used without an exchange',
      violatingRow: ({ neverExchanged }: ValidAuthorizations) => neverExchanged,
      by: (sql: Sql, { neverExchanged }: ValidAuthorizations) => sql`
        update authorization_codes set used_at = expires_at where authorization_id = ${neverExchanged}`,
    },
  ],
  'an authorization has one permanent refresh token, or one unused single-use refresh token': [
    {
      how: 'it has two permanent tokens',
      violatingRow: ({ granted }: ValidAuthorizations) => granted,
      by: (sql: Sql, { granted }: ValidAuthorizations) => sql`
        insert into refresh_tokens (token_hash, merchant_id, authorization_id, created_at)
        select '\\x00', merchant_id, authorization_id, created_at from refresh_tokens where authorization_id = ${granted}`,
    },
    {
      how: 'the last single-use token was used and not replaced',
      violatingRow: ({ isPublic }: ValidAuthorizations) => isPublic,
      by: (sql: Sql, { isPublic }: ValidAuthorizations) => sql`
        update refresh_tokens set used_at = created_at where authorization_id = ${isPublic}`,
    },
    {
      how: 'it has a permanent token and single-use ones',
      violatingRow: ({ isPublic }: ValidAuthorizations) => isPublic,
      by: (sql: Sql, { isPublic }: ValidAuthorizations) => sql`
        update refresh_tokens set expires_at = null where authorization_id = ${isPublic} and used_at is not null`,
    },
  ],
  'the directory has an entry for every credential, with its merchant': [
    {
      how: 'a token has no entry for hours',
      violatingRow: ({ grantedToken }: ValidAuthorizations) => `access token ${grantedToken}`,
      async by(sql: Sql, { grantedToken }: ValidAuthorizations) {
        await sql`delete from credential_directory where encode(hash, 'hex') like ${`${grantedToken}%`}`;
        await sql`
          update access_tokens set created_at = created_at - interval '3 hours'
          where encode(token_hash, 'hex') like ${`${grantedToken}%`}`;
      },
    },
    {
      how: 'the entry of a token names another merchant',
      violatingRow: ({ grantedToken }: ValidAuthorizations) => `access token ${grantedToken}`,
      by: (sql: Sql, { grantedToken }: ValidAuthorizations) => sql`
        update credential_directory set merchant_id = 'M' where encode(hash, 'hex') like ${`${grantedToken}%`}`,
    },
  ],
};
