/** Every SQL statement on the directory of credentials. */
import type { Instant } from '../base/time.js';
import { type Sql, type Tx, toBytea } from '../database/database.js';

/** Can be repeated: an entry never changes. */
export async function insertEntry(tx: Tx, hash: Buffer, merchantId: string, createdAt: Instant): Promise<void> {
  await tx`
    insert into credential_directory (hash, merchant_id, created_at)
    values (${hash}, ${merchantId}, ${createdAt})
    on conflict (hash) do nothing`;
}

/** The merchant of a credential of any kind. The credential may be expired, revoked, or deleted. */
export async function findMerchantOf(sql: Sql, hash: Buffer): Promise<string | undefined> {
  const [row] = await sql<{ merchantId: string }[]>`
    select merchant_id
    from credential_directory
    where hash = ${hash}`;
  return row?.merchantId;
}

export interface DirectoryEntry {
  readonly hash: Buffer;
  readonly merchantId: string;
}

const HASH_DIGITS = 64;

/** Finds entries by the beginning of the hash, in hexadecimal. */
export async function listEntriesByHash(sql: Sql, beginning: string): Promise<DirectoryEntry[]> {
  const [first, last] = [beginning.padEnd(HASH_DIGITS, '0'), beginning.padEnd(HASH_DIGITS, 'f')];
  return sql<DirectoryEntry[]>`
    select hash, merchant_id
    from credential_directory
    where hash between ${Buffer.from(first, 'hex')} and ${Buffer.from(last, 'hex')}
    order by hash
    limit 2`;
}

export async function deleteEntries(tx: Tx, hashes: readonly Buffer[]): Promise<void> {
  await tx`
    delete from credential_directory
    where hash = any (${hashes.map(toBytea)}::bytea[])`;
}
