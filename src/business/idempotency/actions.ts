/** Looks up and releases idempotency keys (decision 0027). */
import { Refusal } from '../../base/errors.js';
import type { Sql, Tx } from '../../database/database.js';
import { deleteKey, findKey, type IdempotencyKey } from './queries.js';

export interface KeyedRequest {
  readonly key: IdempotencyKey;
  readonly hash: Buffer;
  /** The request field that holds the key. */
  readonly field: string;
}

/** The id of the record that the key created. Undefined for a new key. Refuses a key that another request has used. */
export async function findIdByKey(
  sql: Sql,
  merchantId: string,
  { key, hash, field }: KeyedRequest,
): Promise<string | undefined> {
  const known = await findKey(sql, merchantId, key);
  if (known && !known.requestHash.equals(hash)) throw new Refusal('IDEMPOTENCY_KEY_REUSED', { field });
  return known?.madeId;
}

/** Releases a key. Returns the id of the record that it created. */
export async function releaseKey(tx: Tx, merchantId: string, key: IdempotencyKey): Promise<string | undefined> {
  return deleteKey(tx, merchantId, key);
}
