/** SQL statements that find credentials without an entry in the directory, and entries without a credential. */
import type { Instant } from '../base/time.js';
import { type Fragment, type Sql, toBytea } from '../database/database.js';
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

function pageOf(sql: Sql, { at, hash }: { at: Fragment; hash: Fragment }, { after, until, limit }: AgePage): Fragment {
  return sql`
    where (${at}, ${hash}) > (${after.at}::timestamptz, ${after.hash}::bytea) and ${at} < ${until}
    order by ${at}, ${hash}
    limit ${limit}`;
}

export async function listCredentialsByAge(sql: Sql, kind: CredentialKind, page: AgePage): Promise<AgedEntry[]> {
  const { table, hash, age } = CREDENTIAL_TABLES[kind];
  const columns = { at: sql`${sql(age)}`, hash: sql`${sql(hash)}` };
  return sql<AgedEntry[]>`
    select merchant_id, ${columns.hash} as hash, ${columns.at} as at
    from ${sql(table)}
    ${pageOf(sql, columns, page)}`;
}

export async function listEntriesByAge(sql: Sql, page: AgePage): Promise<AgedEntry[]> {
  return sql<AgedEntry[]>`
    select merchant_id, hash, created_at as at
    from credential_directory
    ${pageOf(sql, { at: sql`created_at`, hash: sql`hash` }, page)}`;
}

/** Those of the hashes that have an entry, in hexadecimal. */
export async function listEntered(sql: Sql, hashes: readonly Buffer[]): Promise<Set<string>> {
  const rows = await sql<{ hash: Buffer }[]>`
    select hash
    from credential_directory
    where hash = any (${hashes.map(toBytea)}::bytea[])`;
  return new Set(rows.map(({ hash }) => hash.toString('hex')));
}

/** Those of the hashes that are credentials of the merchant, of any kind, in hexadecimal. */
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
