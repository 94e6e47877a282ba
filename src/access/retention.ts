/** Deletes expired credentials with their entries in the directory. */
import type { Instant } from '../base/time.js';
import type { Database } from '../database/database.js';
import { deleteEntries } from '../identity/directory-queries.js';
import { deleteCredentials, type ExpiringCredential, listExpired } from './retention-queries.js';

/**
 * Deletes at most `limit` credentials of a merchant that expired before that time, and returns how many. Their entries first: after a
 * crash in between, the credentials are found again, because they have expired.
 */
export async function deleteExpired(
  database: Database,
  kind: ExpiringCredential,
  merchantId: string,
  expired: { readonly before: Instant; readonly limit: number },
): Promise<number> {
  const hashes = await listExpired(database.sql, kind, merchantId, expired);
  if (hashes.length === 0) return 0;
  await database.statement((tx) => deleteEntries(tx, hashes));
  await database.statement((tx) => deleteCredentials(tx, kind, merchantId, hashes));
  return hashes.length;
}
