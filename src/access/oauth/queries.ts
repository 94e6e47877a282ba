/** Every SQL statement on registered applications, authorizations, authorization codes and the tokens issued for them. */
import type { Instant } from '../../base/time.js';
import type { Fragment, Sql, Tx } from '../../database/database.js';
import { deleteV1Settings, insertEvents, moveApplicationDeliveriesToGivenUp } from '../../events/record-queries.js';
import { type Application, applicationColumns } from '../../identity/application-queries.js';
import type { Permission } from '../../identity/permissions.js';

export async function insertRegisteredApplication(tx: Tx, application: Application): Promise<void> {
  await tx`
    insert into applications (application_id, name, merchant_id, client_type, redirect_urls, secret_hash, created_at)
    values (
      ${application.id}, ${application.name}, ${application.merchantId}, ${application.clientType},
      ${application.redirectUrls as string[]}::text[], ${application.secretHash}, ${application.createdAt}
    )`;
}

export async function listApplications(sql: Sql, merchantId: string): Promise<Application[]> {
  return sql<Application[]>`
    select ${applicationColumns(sql)}
    from applications
    where merchant_id = ${merchantId}
    order by created_at, application_id
    limit 1000`;
}

export async function updateSecret(
  tx: Tx,
  { merchantId, applicationId, secretHash }: { merchantId: string; applicationId: string; secretHash: Buffer },
): Promise<boolean> {
  const rows = await tx`
    update applications
    set secret_hash = ${secretHash}
    where merchant_id = ${merchantId} and application_id = ${applicationId} and client_type = 'CONFIDENTIAL'
    returning 1`;
  return rows.length > 0;
}

export interface NewAuthorization {
  readonly id: string;
  readonly merchantId: string;
  readonly applicationId: string;
  readonly permissions: readonly Permission[];
  readonly createdAt: Instant;
}

/** A part of a statement that also stores the code or the tokens of the authorization. */
function insertAuthorization(sql: Sql, authorization: NewAuthorization): Fragment {
  return sql`
    insert into authorizations (merchant_id, authorization_id, application_id, permissions, created_at)
    values (
      ${authorization.merchantId}, ${authorization.id}, ${authorization.applicationId},
      ${authorization.permissions as Permission[]}::text[], ${authorization.createdAt}
    )
    returning merchant_id, authorization_id, permissions`;
}

export interface NewCode {
  readonly hash: Buffer;
  readonly redirectUrl: string;
  readonly challenge: string | null;
  readonly expiresAt: Instant;
}

export async function insertAuthorizationWithCode(tx: Tx, authorization: NewAuthorization, code: NewCode) {
  await tx`
    with source as (${insertAuthorization(tx, authorization)})
    insert into authorization_codes (code_hash, merchant_id, authorization_id, redirect_url, challenge, expires_at)
    select ${code.hash}, merchant_id, authorization_id, ${code.redirectUrl}, ${code.challenge}, ${code.expiresAt}
    from source`;
}

/** The access token to issue. Its permissions come from the authorization. */
export interface AccessTokenToIssue {
  readonly applicationId: string;
  readonly accessHash: Buffer;
  readonly accessExpiresAt: Instant;
  readonly at: Instant;
  /** A subset of the granted permissions; null: all of them. */
  readonly permissions: readonly Permission[] | null;
}

export interface TokensToIssue extends AccessTokenToIssue {
  readonly refreshHash: Buffer;
  /** Null: it does not expire and is reusable. */
  readonly refreshExpiresAt: Instant | null;
}

/** A part of a statement: inserts an access token for each row of the CTE `source`. */
function insertAccessToken(sql: Sql, { applicationId, accessHash, accessExpiresAt, at }: AccessTokenToIssue): Fragment {
  return sql`
    insert into access_tokens (
      token_hash, merchant_id, application_id, permissions, label, created_at, expires_at, authorization_id
    )
    select
      ${accessHash}, merchant_id, ${applicationId}, permissions, 'oauth', ${at}::timestamptz,
      ${accessExpiresAt}::timestamptz, authorization_id
    from source`;
}

function insertRefreshToken(sql: Sql, { refreshHash, refreshExpiresAt, at }: TokensToIssue, where: Fragment): Fragment {
  return sql`
    insert into refresh_tokens (token_hash, merchant_id, authorization_id, created_at, expires_at)
    select ${refreshHash}, merchant_id, authorization_id, ${at}::timestamptz, ${refreshExpiresAt}::timestamptz
    from source
    ${where}`;
}

/** For the alias `g`: all requested permissions were granted. */
function allows(sql: Sql, permissions: AccessTokenToIssue['permissions']): Fragment {
  return permissions === null ? sql`true` : sql`${permissions as Permission[]}::text[] <@ g.permissions`;
}

function narrowed(sql: Sql, permissions: AccessTokenToIssue['permissions']): Fragment {
  return permissions === null ? sql`g.permissions` : sql`${permissions as Permission[]}::text[] as permissions`;
}

/** For an authorization by the operator of a sandbox, which needs no code. */
export async function insertAuthorizationWithTokens(tx: Tx, authorization: NewAuthorization, issue: TokensToIssue) {
  await tx`
    with source as (${insertAuthorization(tx, authorization)}),
    access as (${insertAccessToken(tx, issue)})
    ${insertRefreshToken(tx, issue, tx``)}`;
}

export interface CodeClaim {
  readonly hash: Buffer;
  /** Null: the request has none. */
  readonly redirectUrl: string | null;
  /** Null: the request has no verifier, so the code must have no challenge. */
  readonly challenge: string | null;
}

/** Marks a code as used and stores the tokens for it. Returns undefined if the code cannot be used. */
export async function moveCodeToUsed(
  tx: Tx,
  { hash, redirectUrl, challenge }: CodeClaim,
  issue: TokensToIssue,
): Promise<{ merchantId: string } | undefined> {
  const [row] = await tx<{ merchantId: string }[]>`
    with source as (
      update authorization_codes c
      set used_at = ${issue.at}
      from authorizations g
      where c.code_hash = ${hash}
        and c.used_at is null
        and c.expires_at > ${issue.at}
        and c.challenge is not distinct from ${challenge}
        and c.redirect_url = coalesce(${redirectUrl}, c.redirect_url)
        and g.merchant_id = c.merchant_id
        and g.authorization_id = c.authorization_id
        and g.application_id = ${issue.applicationId}
        and g.revoked_at is null
        and ${allows(tx, issue.permissions)}
      returning g.merchant_id, g.authorization_id, ${narrowed(tx, issue.permissions)}
    ),
    access as (${insertAccessToken(tx, issue)}),
    refresh as (${insertRefreshToken(tx, issue, tx``)})
    select merchant_id
    from source`;
  return row;
}

/** Uses a refresh token and replaces it if it is single-use. Returns undefined if it cannot be used. */
export async function moveRefreshTokenToUsed(
  tx: Tx,
  { hash, hasSecret }: { hash: Buffer; hasSecret: boolean },
  issue: TokensToIssue,
): Promise<{ merchantId: string; isReplaced: boolean } | undefined> {
  const [row] = await tx<{ merchantId: string; isReplaced: boolean }[]>`
    with source as (
      update refresh_tokens r
      set used_at = ${issue.at}
      from authorizations g
      where r.token_hash = ${hash}
        and case when r.expires_at is null then ${hasSecret} else r.used_at is null and r.expires_at > ${issue.at} end
        and g.merchant_id = r.merchant_id
        and g.authorization_id = r.authorization_id
        and g.application_id = ${issue.applicationId}
        and g.revoked_at is null
        and ${allows(tx, issue.permissions)}
      returning
        g.merchant_id, g.authorization_id, r.expires_at is not null as is_replaced, ${narrowed(tx, issue.permissions)}
    ),
    access as (${insertAccessToken(tx, issue)}),
    refresh as (${insertRefreshToken(tx, issue, tx`where is_replaced`)})
    select merchant_id, is_replaced
    from source`;
  return row;
}

/** Issues a new access token for one that is valid or that expired after `expiredAfter`. */
export async function insertRenewedToken(
  tx: Tx,
  { hash, expiredAfter }: { hash: Buffer; expiredAfter: Instant },
  issue: AccessTokenToIssue,
): Promise<{ merchantId: string } | undefined> {
  const [row] = await tx<{ merchantId: string }[]>`
    with source as (
      select t.merchant_id, t.authorization_id, t.permissions
      from access_tokens t
      join authorizations g using (merchant_id, authorization_id)
      where t.token_hash = ${hash}
        and t.application_id = ${issue.applicationId}
        and t.expires_at > ${expiredAfter}
        and t.revoked_at is null
        and g.revoked_at is null
    ),
    access as (${insertAccessToken(tx, issue)})
    select merchant_id
    from source`;
  return row;
}

/** A rejected code or refresh token, with what is needed to find the reason. */
export interface FoundGrant {
  readonly merchantId: string;
  readonly authorizationId: string;
  readonly permissions: readonly Permission[];
  /** It is single-use and was used before. */
  readonly isSpent: boolean;
}

export async function findCode(
  sql: Sql,
  hash: Buffer,
  applicationId: string,
): Promise<(FoundGrant & { readonly challenge: string | null }) | undefined> {
  const [row] = await sql<(FoundGrant & { challenge: string | null })[]>`
    select c.merchant_id, c.authorization_id, g.permissions, c.used_at is not null as is_spent, c.challenge
    from authorization_codes c
    join authorizations g using (merchant_id, authorization_id)
    where c.code_hash = ${hash} and g.application_id = ${applicationId}`;
  return row;
}

export async function findRefreshToken(sql: Sql, hash: Buffer, applicationId: string): Promise<FoundGrant | undefined> {
  const [row] = await sql<FoundGrant[]>`
    select
      r.merchant_id, r.authorization_id, g.permissions, r.expires_at is not null and r.used_at is not null as is_spent
    from refresh_tokens r
    join authorizations g using (merchant_id, authorization_id)
    where r.token_hash = ${hash} and g.application_id = ${applicationId}`;
  return row;
}

export interface FoundAccessToken {
  readonly merchantId: string;
  readonly isRevoked: boolean;
}

export async function findAccessToken(
  sql: Sql,
  hash: Buffer,
  applicationId: string,
): Promise<FoundAccessToken | undefined> {
  const [row] = await sql<FoundAccessToken[]>`
    select t.merchant_id, coalesce(t.revoked_at, g.revoked_at) is not null as is_revoked
    from access_tokens t
    join authorizations g using (merchant_id, authorization_id)
    where t.token_hash = ${hash} and t.application_id = ${applicationId}`;
  return row;
}

/** Invalidates all codes and tokens of the authorization. Notifies the application if it has no other one for the merchant. */
export async function moveAuthorizationToRevoked(
  tx: Tx,
  { merchantId, authorizationId }: { merchantId: string; authorizationId: string },
  at: Instant,
): Promise<void> {
  await tx`
    with moved as (
      update authorizations
      set revoked_at = ${at}
      where merchant_id = ${merchantId} and authorization_id = ${authorizationId} and revoked_at is null
      returning merchant_id, application_id
    ),
    ended as (
      select moved.merchant_id, moved.application_id
      from moved
      where not exists (
        select from authorizations g
        where g.merchant_id = ${merchantId} and g.application_id = moved.application_id
          and g.authorization_id <> ${authorizationId} and g.revoked_at is null
      )
    ),
    ${insertEvents(tx, [merchantId], [revocationEvent(tx, at, 'SQUARE')])},
    given_up as (${moveApplicationDeliveriesToGivenUp(tx, merchantId, 'ended')}),
    settings as (${deleteV1Settings(tx, merchantId, 'ended')})
    select 1`;
}

/** Revokes all authorizations of an application for a merchant. Returns false if there never was one. */
export async function moveAuthorizationsToRevoked(
  tx: Tx,
  { merchantId, applicationId, by }: { merchantId: string; applicationId: string; by: Revoker },
  at: Instant,
): Promise<boolean> {
  const [row] = await tx<{ found: boolean }[]>`
    with moved as (
      update authorizations
      set revoked_at = ${at}
      where merchant_id = ${merchantId} and application_id = ${applicationId} and revoked_at is null
      returning merchant_id, application_id
    ),
    ended as (
      select distinct merchant_id, application_id
      from moved
    ),
    ${insertEvents(tx, [merchantId], [revocationEvent(tx, at, by)])},
    given_up as (${moveApplicationDeliveriesToGivenUp(tx, merchantId, 'ended')}),
    settings as (${deleteV1Settings(tx, merchantId, 'ended')})
    select exists (
      select from authorizations
      where merchant_id = ${merchantId} and application_id = ${applicationId}
    ) as found`;
  return row?.found ?? false;
}

/** Who revoked an authorization. SQUARE, as clients call the server: it revokes after the second use of a code or refresh token. */
export type Revoker = 'APPLICATION' | 'MERCHANT' | 'SQUARE';

/** Notifies only the application itself that the merchant in the CTE `ended` no longer authorizes it. */
const revocationEvent = (sql: Sql, at: Instant, by: Revoker) => sql`(
  select
    merchant_id, null::text as location_id, application_id, 'oauth.authorization.revoked' as kind,
    gen_random_uuid()::text as entity_id, ${at}::timestamptz as happened_at,
    '{"revoked_at":"' || to_char(${at}::timestamptz at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
    || '","revoker_type":"' || ${by}::text || '"}' as object
  from ended
)`;

/** An application with the union of the permissions of its valid authorizations for a merchant. */
export interface AuthorizedApplication {
  readonly applicationId: string;
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly createdAt: Instant;
}

/** Leaves out authorizations for which the application never obtained tokens. */
export async function listAuthorizedApplications(sql: Sql, merchantId: string): Promise<AuthorizedApplication[]> {
  return sql<AuthorizedApplication[]>`
    select
      a.application_id, a.name, array_agg(distinct permission order by permission) as permissions,
      min(g.created_at) as created_at
    from authorizations g
    join applications a using (application_id)
    cross join unnest(g.permissions) as permission
    where g.merchant_id = ${merchantId}
      and g.revoked_at is null
      and exists (
        select from refresh_tokens r
        where r.merchant_id = g.merchant_id and r.authorization_id = g.authorization_id
      )
    group by a.application_id, a.name
    order by a.name, a.application_id
    limit 1000`;
}
