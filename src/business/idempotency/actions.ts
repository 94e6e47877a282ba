/** Idempotency keys (decision 0027): what a key made before, and how a key becomes free again. */
import { Refusal } from '../../base/errors.js';
import type { Sql, Tx } from '../../database/database.js';
import { deleteKey, findKey, type IdempotencyKey } from './queries.js';

interface Comparison {
  /** Whether a request with this hash is the one that came now. */
  readonly isSame: (requestHash: Buffer) => boolean;
  /** The field that holds the key. */
  readonly field: string;
}

/** The id of what the key made; undefined for a new key. A key that came with another request before is refused. */
export async function findIdByKey(
  sql: Sql,
  merchantId: string,
  key: IdempotencyKey,
  { isSame, field }: Comparison,
): Promise<string | undefined> {
  const known = await findKey(sql, merchantId, key);
  if (known && !isSame(known.requestHash)) throw new Refusal('IDEMPOTENCY_KEY_REUSED', { field });
  return known?.madeId;
}

/** Frees a key; returns the id of what it made. */
export async function releaseKey(tx: Tx, merchantId: string, key: IdempotencyKey): Promise<string | undefined> {
  return deleteKey(tx, merchantId, key);
}
