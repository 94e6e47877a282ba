/** Deletes credentials after their retention time (decision 0078), and counts of failed sign-ins. */
import type { Instant } from '../base/time.js';
import { type Sql, type Tx, toBytea } from '../database/database.js';
import { fn } from '../database/functions.js';
import { CREDENTIAL_TABLES, type CredentialKind } from './credential-tables.js';

/** The others do not expire. Personal tokens are access tokens too, but are kept. */
export type ExpiringCredential = Exclude<CredentialKind, 'device tokens' | 'publishable keys'>;

/** On one shard, see `listShards`. */
export async function listMerchantsWithExpired(
  sql: Sql,
  shard: string,
  { kind, before }: { readonly kind: ExpiringCredential; readonly before: Instant },
): Promise<string[]> {
  const { table } = CREDENTIAL_TABLES[kind];
  const rows = await sql<{ merchantId: string }[]>`
    select ${fn(sql, 'list_merchants_with_expired')}(${shard}, ${table}, ${before}) as merchant_id`;
  return rows.map(({ merchantId }) => merchantId);
}

/** The hashes of the oldest credentials of a merchant that expired before that time, at most `limit`. */
export async function listExpired(
  sql: Sql,
  kind: ExpiringCredential,
  merchantId: string,
  { before, limit }: { readonly before: Instant; readonly limit: number },
): Promise<Buffer[]> {
  const { table, hash } = CREDENTIAL_TABLES[kind];
  const rows = await sql<{ hash: Buffer }[]>`
    select ${sql(hash)} as hash
    from ${sql(table)}
    where merchant_id = ${merchantId} and expires_at < ${before}
      ${kind === 'access tokens' ? sql`and authorization_id is not null` : sql``}
    order by expires_at
    limit ${limit}`;
  return rows.map((row) => row.hash);
}

export async function deleteCredentials(
  tx: Tx,
  kind: CredentialKind,
  merchantId: string,
  hashes: readonly Buffer[],
): Promise<void> {
  const { table, hash } = CREDENTIAL_TABLES[kind];
  await tx`
    delete from ${tx(table)}
    where merchant_id = ${merchantId} and ${tx(hash)} = any (${hashes.map(toBytea)}::bytea[])`;
}

/** Deletes the oldest counts that ended before that time, at most `limit`, and returns how many. */
export async function deleteOldAttempts(
  tx: Tx,
  { before, limit }: { readonly before: Instant; readonly limit: number },
): Promise<number> {
  const deleted = await tx`
    delete from sign_in_attempts
    where subject_hash in (
      select subject_hash
      from sign_in_attempts
      where window_ends_at < ${before}
      order by window_ends_at
      limit ${limit}
      for update skip locked
    )
    returning 1`;
  return deleted.length;
}
