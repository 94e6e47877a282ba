/** SQL statements that find credentials without an entry in the directory, and entries without a credential. */
import type { Instant } from '../base/time.js';
import { type Sql, toBytea } from '../database/database.js';
import { fn } from '../database/functions.js';
import type { DirectoryEntry } from '../identity/directory-queries.js';
import { CREDENTIAL_TABLES, type CredentialKind } from './credential-tables.js';

/** A part of the rows, in the order of their age. */
export interface AgePage {
  /** Rows after this one. */
  readonly after: { readonly at: Instant; readonly hash: Buffer };
  readonly until: Instant;
  readonly limit: number;
}

export interface AgedEntry extends DirectoryEntry {
  readonly at: Instant;
}

/** On one shard, see `listShards`. */
export async function listCredentialsByAge(
  sql: Sql,
  shard: string,
  kind: CredentialKind,
  { after, until, limit }: AgePage,
): Promise<AgedEntry[]> {
  const { table, hash, age } = CREDENTIAL_TABLES[kind];
  return sql<AgedEntry[]>`
    select merchant_id, hash, at
    from ${fn(sql, 'list_credentials_by_age')}(
      ${shard}, ${table}, ${hash}, ${age}, ${after.at}, ${after.hash}, ${until}, ${limit}
    )`;
}

/** The hashes of all credentials of a merchant, of one kind. */
export async function listCredentials(sql: Sql, merchantId: string, kind: CredentialKind): Promise<Buffer[]> {
  const { table, hash } = CREDENTIAL_TABLES[kind];
  const rows = await sql<{ hash: Buffer }[]>`
    select ${sql(hash)} as hash
    from ${sql(table)}
    where merchant_id = ${merchantId}`;
  return rows.map((row) => row.hash);
}

/** On all shards: the directory is not placed by merchant. */
export async function listEntriesByAge(sql: Sql, { after, until, limit }: AgePage): Promise<AgedEntry[]> {
  return sql<AgedEntry[]>`
    select merchant_id, hash, created_at as at
    from credential_directory
    where (created_at, hash) > (${after.at}::timestamptz, ${after.hash}::bytea) and created_at < ${until}
    order by created_at, hash
    limit ${limit}`;
}

/** Which of the hashes have an entry in the directory. In hexadecimal. */
export async function listEntered(sql: Sql, hashes: readonly Buffer[]): Promise<Set<string>> {
  const rows = await sql<{ hash: Buffer }[]>`
    select hash
    from credential_directory
    where hash = any (${hashes.map(toBytea)}::bytea[])`;
  return new Set(rows.map(({ hash }) => hash.toString('hex')));
}

/** Which of the hashes are credentials of the merchant, of any kind. In hexadecimal. */
export async function listStored(sql: Sql, merchantId: string, hashes: readonly Buffer[]): Promise<Set<string>> {
  const printed = hashes.map(toBytea);
  const parts = Object.values(CREDENTIAL_TABLES).map(
    ({ table, hash }) => sql`
      select ${sql(hash)} as hash
      from ${sql(table)}
      where merchant_id = ${merchantId} and ${sql(hash)} = any (${printed}::bytea[])`,
  );
  const rows = await sql<
    { hash: Buffer }[]
  >`${parts.map((part, index) => (index === 0 ? part : sql`union all ${part}`))}`;
  return new Set(rows.map(({ hash }) => hash.toString('hex')));
}
