/** Every SQL statement on access tokens and on failed attempts to sign in. */
import { requireFound } from '../base/errors.js';
import type { Instant } from '../base/time.js';
import type { Fragment, Sql, Tx } from '../database/database.js';
import type { Caller, CallerLocation, CallerMerchant } from './caller.js';
import type { Permission } from './permissions.js';

export interface MerchantColumns {
  merchantId: string;
  businessName: string;
  currency: string;
  approved: boolean;
  restrictsDiscounts: boolean;
  clockOffsetMs: number;
  clockFrozenAt: Instant | null;
  hasRules: boolean;
  hasFaults: boolean;
  locations: CallerLocation[] | null;
}

/** What is remembered of a merchant beside its credential, for the alias `m`. */
export function merchantColumns(sql: Sql): Fragment {
  return sql`
    m.merchant_id,
    m.business_name,
    m.currency,
    m.approved,
    m.restricts_discounts,
    m.clock_offset_ms,
    m.clock_frozen_at,
    exists (select from processor_rules r where r.merchant_id = m.merchant_id and r.remaining > 0) as has_rules,
    exists (
      select from fault_rules f
      where (f.merchant_id = m.merchant_id or f.merchant_id is null) and f.remaining > 0 and f.effect not like 'WEBHOOK%'
    ) as has_faults,
    (
      select json_agg(json_build_object('id', l.location_id, 'timezone', l.timezone) order by l.ordinal)
      from locations l
      where l.merchant_id = m.merchant_id
    ) as locations`;
}

export function toMerchant(row: MerchantColumns): CallerMerchant {
  return {
    id: row.merchantId,
    businessName: row.businessName,
    currency: row.currency,
    approved: row.approved,
    restrictsDiscounts: row.restrictsDiscounts,
    clock: { offsetMs: row.clockOffsetMs, frozenAt: row.clockFrozenAt },
    hasRules: row.hasRules,
    hasFaults: row.hasFaults,
    locations: row.locations ?? [],
  };
}

/** Decodes in a subquery so that the index on the hash answers. */
export function anyHash(sql: Sql, hashes: readonly string[]): Fragment {
  return sql`any (array(select decode(hash, 'hex') from unnest(${hashes as string[]}::text[]) as hash))`;
}

export async function listCallers(sql: Sql, hashes: readonly string[]): Promise<Map<string, Caller>> {
  const rows = await sql<
    (MerchantColumns & {
      hash: string;
      applicationId: string;
      authorizationId: string | null;
      permissions: Permission[];
      expiresAt: Instant | null;
      revokedAt: Instant | null;
    })[]
  >`
    select
      encode(t.token_hash, 'hex') as hash,
      t.application_id,
      t.authorization_id,
      t.permissions,
      t.expires_at,
      coalesce(t.revoked_at, g.revoked_at) as revoked_at,
      ${merchantColumns(sql)}
    from access_tokens t
    join merchants m using (merchant_id)
    left join authorizations g on g.merchant_id = t.merchant_id and g.authorization_id = t.authorization_id
    where t.token_hash = ${anyHash(sql, hashes)}`;
  return new Map(
    rows.map((row) => [
      row.hash,
      {
        applicationId: row.applicationId,
        tokenHash: row.hash,
        authorizationId: row.authorizationId,
        permissions: new Set(row.permissions),
        merchant: toMerchant(row),
        expiresAt: row.expiresAt,
        revoked: row.revokedAt !== null,
      },
    ]),
  );
}

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

/** The applications that come with the house are made on first use. */
export async function insertApplication(tx: Tx, application: { id: string; name: string; createdAt: Instant }) {
  await tx`
    insert into applications (application_id, name, created_at)
    values (${application.id}, ${application.name}, ${application.createdAt})
    on conflict do nothing`;
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
}

/** For the aliases `t` and, where an application was allowed it, `g`. */
function tokenColumns(sql: Sql): Fragment {
  return sql`
    encode(t.token_hash, 'hex') as hash, t.merchant_id, t.application_id, t.permissions, t.label, t.created_at,
    t.expires_at, coalesce(t.revoked_at, g.revoked_at) as revoked_at`;
}

export async function listTokens(sql: Sql, merchantId: string): Promise<TokenSummary[]> {
  return sql<TokenSummary[]>`
    select ${tokenColumns(sql)}
    from access_tokens t
    left join authorizations g using (merchant_id, authorization_id)
    where t.merchant_id = ${merchantId}
    order by t.created_at, t.token_hash`;
}

/** Tokens by the beginning of their hash, which is all that a list can show of them. */
export async function listTokensByHash(sql: Sql, beginning: string): Promise<TokenSummary[]> {
  return sql<TokenSummary[]>`
    select ${tokenColumns(sql)}
    from access_tokens t
    left join authorizations g using (merchant_id, authorization_id)
    where encode(t.token_hash, 'hex') like ${`${beginning}%`}
    limit 2`;
}

export async function moveTokenToRevoked(tx: Tx, hash: Buffer, at: Instant): Promise<boolean> {
  const rows = await tx`
    update access_tokens
    set revoked_at = coalesce(revoked_at, ${at})
    where token_hash = ${hash}
    returning 1`;
  return rows.length > 0;
}

export async function moveTokensToRevoked(tx: Tx, merchantId: string, label: string, at: Instant): Promise<void> {
  await tx`
    update access_tokens
    set revoked_at = ${at}
    where merchant_id = ${merchantId} and label = ${label} and revoked_at is null`;
}

export async function updateTokenExpiry(tx: Tx, hash: Buffer, at: Instant): Promise<string | undefined> {
  const [row] = await tx<{ merchantId: string }[]>`
    update access_tokens
    set expires_at = ${at}
    where token_hash = ${hash}
    returning merchant_id`;
  return row?.merchantId;
}

export interface Attempts {
  readonly failures: number;
  readonly windowEndsAt: Instant;
}

/** Counts an attempt before it is judged, so that a crowd of simultaneous guesses counts in full. */
export async function insertAttempt(tx: Tx, subject: Buffer, now: Instant, windowEndsAt: Instant): Promise<Attempts> {
  const [row] = await tx<Attempts[]>`
    insert into sign_in_attempts as known (subject_hash, failures, window_ends_at)
    values (${subject}, 1, ${windowEndsAt})
    on conflict (subject_hash) do update
    set
      failures = case when known.window_ends_at <= ${now} then 1 else known.failures + 1 end,
      window_ends_at = case when known.window_ends_at <= ${now} then excluded.window_ends_at else known.window_ends_at end
    returning failures, window_ends_at`;
  return requireFound(row, 'an attempt that was counted');
}

/** Takes back one attempt that was counted. */
export async function updateAttemptsToFewer(tx: Tx, subject: Buffer): Promise<void> {
  await tx`
    update sign_in_attempts
    set failures = failures - 1
    where subject_hash = ${subject} and failures > 0`;
}

export async function deleteAttempts(tx: Tx, subject: Buffer): Promise<void> {
  await tx`
    delete from sign_in_attempts
    where subject_hash = ${subject}`;
}
