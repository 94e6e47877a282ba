/** Every SQL statement on registered applications, authorizations, authorization codes and the tokens issued for them. */
import type { Instant } from '../../base/time.js';
import type { Sql, Tx } from '../../database/database.js';
import { fn } from '../../database/functions.js';
import { type Page, type PageRequest, pageClause, toPage } from '../../database/keyset.js';
import { type Application, applicationColumns } from '../../identity/application-queries.js';
import type { Permission } from '../../identity/permissions.js';
import { type Authorization, authorizations } from './table.js';

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

/** The applications of all owners and of the operator, without the built-in one of personal tokens. */
export async function listAllApplications(sql: Sql, page: PageRequest): Promise<Page<Application>> {
  const rows = await sql<Application[]>`
    select ${applicationColumns(sql)}
    from applications
    where (secret_hash is not null or client_type = 'PUBLIC')
    ${pageClause(sql, { at: 'created_at', id: 'application_id' }, page, 'DESC')}`;
  return toPage(rows, page.limit, ({ createdAt, id }) => ({ at: createdAt, id }));
}

export async function updateApplicationSecret(
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

export async function findAuthorization(
  sql: Sql,
  merchantId: string,
  authorizationId: string,
): Promise<Authorization | undefined> {
  const [row] = await sql<Authorization[]>`
    select ${authorizations.select(sql)}
    from authorizations
    where merchant_id = ${merchantId} and authorization_id = ${authorizationId}`;
  return row;
}

interface RenewedToken {
  readonly applicationId: string;
  readonly accessHash: Buffer;
  readonly accessExpiresAt: Instant;
  readonly at: Instant;
}

/** Issues a new access token for one that is valid or that expired after `expiredAfter`. Returns false if there is none. */
export async function insertRenewedToken(
  tx: Tx,
  { merchantId, hash, expiredAfter }: { merchantId: string; hash: Buffer; expiredAfter: Instant },
  { applicationId, accessHash, accessExpiresAt, at }: RenewedToken,
): Promise<boolean> {
  const rows = await tx`
    insert into access_tokens (
      token_hash, merchant_id, application_id, permissions, label, created_at, expires_at, authorization_id
    )
    select
      ${accessHash}, t.merchant_id, ${applicationId}, t.permissions, 'oauth', ${at}::timestamptz,
      ${accessExpiresAt}::timestamptz, t.authorization_id
    from access_tokens t
    join authorizations g using (merchant_id, authorization_id)
    where t.merchant_id = ${merchantId}
      and t.token_hash = ${hash}
      and t.application_id = ${applicationId}
      and t.expires_at > ${expiredAfter}
      and t.revoked_at is null
      and g.revoked_at is null
    returning 1`;
  return rows.length > 0;
}

/** A code or refresh token of an application, with what is needed to use it, or to find the reason why not. */
export interface FoundGrant {
  readonly merchantId: string;
  readonly authorizationId: string;
  readonly permissions: readonly Permission[];
  /** It is single-use and was used before. */
  readonly isSpent: boolean;
}

/** A code or token that an application presents, after the directory has found its merchant. */
export interface PresentedSecret {
  readonly merchantId: string;
  readonly hash: Buffer;
  readonly applicationId: string;
}

export async function findCode(
  sql: Sql,
  { merchantId, hash, applicationId }: PresentedSecret,
): Promise<(FoundGrant & { readonly challenge: string | null }) | undefined> {
  const [row] = await sql<(FoundGrant & { challenge: string | null })[]>`
    select c.merchant_id, c.authorization_id, g.permissions, c.used_at is not null as is_spent, c.challenge
    from authorization_codes c
    join authorizations g using (merchant_id, authorization_id)
    where c.merchant_id = ${merchantId} and c.code_hash = ${hash} and g.application_id = ${applicationId}`;
  return row;
}

export async function findRefreshToken(
  sql: Sql,
  { merchantId, hash, applicationId }: PresentedSecret,
): Promise<(FoundGrant & { readonly isSingleUse: boolean }) | undefined> {
  const [row] = await sql<(FoundGrant & { isSingleUse: boolean })[]>`
    select
      r.merchant_id, r.authorization_id, g.permissions, r.expires_at is not null as is_single_use,
      r.expires_at is not null and r.used_at is not null as is_spent
    from refresh_tokens r
    join authorizations g using (merchant_id, authorization_id)
    where r.merchant_id = ${merchantId} and r.token_hash = ${hash} and g.application_id = ${applicationId}`;
  return row;
}

export async function findAccessToken(
  sql: Sql,
  { merchantId, hash, applicationId }: PresentedSecret,
): Promise<{ readonly isRevoked: boolean } | undefined> {
  const [row] = await sql<{ isRevoked: boolean }[]>`
    select coalesce(t.revoked_at, g.revoked_at) is not null as is_revoked
    from access_tokens t
    join authorizations g using (merchant_id, authorization_id)
    where t.merchant_id = ${merchantId} and t.token_hash = ${hash} and t.application_id = ${applicationId}`;
  return row;
}

/** Who revoked an authorization. SQUARE, as clients call the server: it revokes after the second use of a code or refresh token. */
export type Revoker = 'APPLICATION' | 'MERCHANT' | 'SQUARE';

export interface Revocation {
  readonly merchantId: string;
  readonly applicationId: string;
  /** Absent: all authorizations of the application for the merchant. */
  readonly authorizationId?: string;
  readonly by: Revoker;
}

/**
 * Invalidates all codes and tokens of these authorizations. Notifies the application if it has no other one for the merchant.
 * Returns false if there never was one.
 */
export async function moveAuthorizationsToRevoked(
  tx: Tx,
  { merchantId, applicationId, authorizationId, by }: Revocation,
  at: Instant,
): Promise<boolean> {
  const [row] = await tx<{ found: boolean }[]>`
    select ${fn(tx, 'revoke_authorizations')}(
      ${merchantId}, ${applicationId}, ${authorizationId ?? null}, ${by}, ${at}
    ) as found`;
  return row?.found ?? false;
}

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
