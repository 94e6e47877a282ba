/**
 * A credential and its entry in the directory are written by two commits. Deletes what a server that crashed in between has left: a
 * credential without an entry, which nobody has received, or an entry without a credential (decision 0134).
 */
import { type Instant, instant } from '../base/time.js';
import type { Database } from '../database/database.js';
import { listShards } from '../database/shards.js';
import { type DirectoryEntry, deleteEntries } from '../identity/directory-queries.js';
import { CREDENTIAL_TABLES, type CredentialKind } from './credential-tables.js';
import { deletePairings } from './devices/queries.js';
import {
  type AgedEntry,
  type AgePage,
  listCredentialsByAge,
  listEntered,
  listEntriesByAge,
  listStored,
} from './orphan-queries.js';
import { deleteCredentials } from './retention-queries.js';

/** Checks what was made between two times. `until` is so long ago that both commits have been made, or never will be. */
export interface Sweep {
  readonly from: Instant;
  readonly until: Instant;
  readonly signal: AbortSignal;
}

export async function deleteOrphans(database: Database, sweep: Sweep): Promise<void> {
  const { sql } = database;
  for (const shard of await listShards(sql)) {
    for (const kind of Object.keys(CREDENTIAL_TABLES) as CredentialKind[]) {
      for await (const made of pagesOf(sweep, (page) => listCredentialsByAge(sql, shard, kind, page))) {
        const entered = await listEntered(
          sql,
          made.map(({ hash }) => hash),
        );
        const orphans = made.filter(({ hash }) => !entered.has(hash.toString('hex')));
        for (const [merchantId, hashes] of byMerchant(orphans)) {
          await deleteOrphansOf(database, kind, merchantId, hashes);
        }
      }
    }
  }
  for await (const entries of pagesOf(sweep, (page) => listEntriesByAge(sql, page))) {
    for (const [merchantId, hashes] of byMerchant(entries)) {
      const stored = await listStored(sql, merchantId, hashes);
      const orphans = hashes.filter((hash) => !stored.has(hash.toString('hex')));
      if (orphans.length > 0) await database.statement((tx) => deleteEntries(tx, orphans));
    }
  }
}

/** A device whose token nobody received cannot be used, so it is deleted too. */
function deleteOrphansOf(
  database: Database,
  kind: CredentialKind,
  merchantId: string,
  hashes: readonly Buffer[],
): Promise<void> {
  if (kind === 'device tokens') return database.transaction((tx) => deletePairings(tx, merchantId, hashes));
  return database.statement((tx) => deleteCredentials(tx, kind, merchantId, hashes));
}

const PAGE_SIZE = 1000;

async function* pagesOf(
  { from, until, signal }: Sweep,
  list: (page: AgePage) => Promise<AgedEntry[]>,
): AsyncGenerator<readonly AgedEntry[]> {
  let after: AgePage['after'] = { at: instant(from - 1), hash: Buffer.alloc(0) };
  while (!signal.aborted) {
    const page = await list({ after, until, limit: PAGE_SIZE });
    if (page.length > 0) yield page;
    const last = page[PAGE_SIZE - 1];
    if (!last) return;
    after = last;
  }
}

function byMerchant(entries: readonly DirectoryEntry[]): Map<string, Buffer[]> {
  const grouped = new Map<string, Buffer[]>();
  for (const { merchantId, hash } of entries) {
    const hashes = grouped.get(merchantId) ?? [];
    grouped.set(merchantId, hashes);
    hashes.push(hash);
  }
  return grouped;
}
