/** Looks up and releases idempotency keys (decision 0027). */
import { Refusal } from '../../base/errors.js';
import type { Change } from '../../database/change.js';
import type { Sql } from '../../database/database.js';
import {
  deleteKey,
  findKey,
  type IdempotencyKey,
  insertKey,
  readKey,
  readKeyOfOthers,
  readReleasedKey,
} from './queries.js';

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
  return toMadeId(await findKey(sql, merchantId, key), { hash, field });
}

function toMadeId(
  known: { readonly requestHash: Buffer; readonly madeId: string } | undefined,
  { hash, field }: Pick<KeyedRequest, 'hash' | 'field'>,
): string | undefined {
  if (known && !known.requestHash.equals(hash)) throw new Refusal('IDEMPOTENCY_KEY_REUSED', { field });
  return known?.madeId;
}

/** Like `findIdByKey`. The change depends on the key: if another request takes it meanwhile, the change is decided again. */
export async function readIdByKey(change: Change, { key, hash, field }: KeyedRequest): Promise<string | undefined> {
  return toMadeId(await readKey(change, key), { hash, field });
}

/** Takes a new key for the record that the change creates. */
export function takeKey(change: Change, { key, hash }: KeyedRequest, madeId: string): void {
  insertKey(change, key, hash, madeId);
}

/**
 * Releases the key of a payment, whichever application sent it: that of `key` first (decision 0028). Returns the id of the record that it created. An
 * application that has released its own key meant that record: its retry does not reach the record of another application.
 */
export async function releaseKey(change: Change, key: IdempotencyKey): Promise<string | undefined> {
  const own = await readKey(change, key);
  const isOwn = own !== undefined || (await readReleasedKey(change, key)) !== undefined;
  const [found, { applicationId }] = isOwn ? [own, key] : await readKeyOfOthers(change, key);
  if (found) deleteKey(change, { ...key, applicationId }, found.madeId);
  return found?.madeId;
}
