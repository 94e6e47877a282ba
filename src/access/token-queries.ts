/** Every SQL statement on access tokens. */
import type { Instant } from '../base/time.js';
import type { Fragment, Sql, Tx } from '../database/database.js';
import type { Permission } from '../identity/permissions.js';

export interface NewToken {
  readonly hash: Buffer;
  readonly merchantId: string;
  readonly applicationId: string;
  readonly permissions: readonly Permission[];
  readonly label: string;
  readonly createdAt: Instant;
  readonly expiresAt: Instant | null;
}

export async function insertToken(tx: Tx, token: NewToken): Promise<void> {
  await tx`
    insert into access_tokens (token_hash, merchant_id, application_id, permissions, label, created_at, expires_at)
    values (
      ${token.hash}, ${token.merchantId}, ${token.applicationId}, ${token.permissions as Permission[]}::text[],
      ${token.label}, ${token.createdAt}, ${token.expiresAt}
    )`;
}

export interface TokenSummary {
  readonly hash: string;
  readonly merchantId: string;
  readonly applicationId: string;
  readonly permissions: Permission[];
  readonly label: string;
  readonly createdAt: Instant;
  readonly expiresAt: Instant | null;
  readonly revokedAt: Instant | null;
  /** To within a few minutes; only of personal tokens. */
  readonly lastUsedAt: Instant | null;
}

/** For the aliases `t` (access token) and `g` (its authorization, absent for a personal token). */
function tokenColumns(sql: Sql): Fragment {
  return sql`
    encode(t.token_hash, 'hex') as hash, t.merchant_id, t.application_id, t.permissions, t.label, t.created_at,
    t.expires_at, t.last_used_at, coalesce(t.revoked_at, g.revoked_at) as revoked_at`;
}

export async function listTokens(sql: Sql, merchantId: string): Promise<TokenSummary[]> {
  return sql<TokenSummary[]>`
    select ${tokenColumns(sql)}
    from access_tokens t
    left join authorizations g using (merchant_id, authorization_id)
    where t.merchant_id = ${merchantId}
    order by t.created_at, t.token_hash`;
}

export async function findToken(sql: Sql, merchantId: string, hash: Buffer): Promise<TokenSummary | undefined> {
  const [row] = await sql<TokenSummary[]>`
    select ${tokenColumns(sql)}
    from access_tokens t
    left join authorizations g using (merchant_id, authorization_id)
    where t.merchant_id = ${merchantId} and t.token_hash = ${hash}`;
  return row;
}

export async function moveTokenToRevoked(tx: Tx, merchantId: string, hash: Buffer, at: Instant): Promise<boolean> {
  const rows = await tx`
    update access_tokens
    set revoked_at = coalesce(revoked_at, ${at})
    where merchant_id = ${merchantId} and token_hash = ${hash}
    returning 1`;
  return rows.length > 0;
}

export async function moveTokensToRevoked(tx: Tx, merchantId: string, label: string, at: Instant): Promise<void> {
  await tx`
    update access_tokens
    set revoked_at = ${at}
    where merchant_id = ${merchantId} and label = ${label} and revoked_at is null`;
}

export async function updateTokenExpiry(tx: Tx, merchantId: string, hash: Buffer, at: Instant): Promise<boolean> {
  const rows = await tx`
    update access_tokens
    set expires_at = ${at}
    where merchant_id = ${merchantId} and token_hash = ${hash}
    returning 1`;
  return rows.length > 0;
}
