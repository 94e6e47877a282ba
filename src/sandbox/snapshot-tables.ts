/** The tables of which a snapshot has a copy: all tables of merchants, so that nobody has to remember a new one. */
import { MERCHANTS, PLACEMENTS, type Placement } from '../database/placement.js';

/** Tables of merchants that are not about their business, and why. */
const LEFT_ALONE: Readonly<Record<string, string>> = {
  merchant_snapshots: 'the copies themselves',
  audit_events: 'what happened stays, and who collects events gets each of them once',
  merchant_watches: 'which servers have an open stream of changes now',
  merchant_processors: 'a copy would bring back secrets whose key is no longer in use',
};

/** In the order of the foreign keys. That of merchants comes first. */
export function listCopiedTables(placements: Readonly<Record<string, Placement>> = PLACEMENTS): readonly string[] {
  return Object.keys(placements).filter((table) => placements[table] === 'merchant' && !(table in LEFT_ALONE));
}

export const COPIED_TABLES = listCopiedTables();

/** Those whose rows are deleted and inserted again. The row of the merchant stays, because others refer to it. */
export const REPLACED_TABLES = COPIED_TABLES.filter((table) => table !== MERCHANTS);

/**
 * The order in which they are locked: most writes take an idempotency key first, and need the merchant last. So a write that has begun can
 * finish, and one that has not waits without holding a lock.
 */
export const LOCKED_TABLES = [
  ...new Set(['idempotency_keys', ...REPLACED_TABLES.toReversed(), 'merchant_snapshots', MERCHANTS]),
];
