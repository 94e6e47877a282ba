/** Looks up, takes and releases idempotency keys (decision 0027). */
import { realNow } from '../../base/clock.js';
import { Refusal } from '../../base/errors.js';
import type { Change } from '../../database/change.js';
import type { Sql } from '../../database/database.js';
import { findKey, readKey, readKeyOfOthers } from './queries.js';
import { type IdempotencyKey, idempotencyKeys, type TakenKey } from './table.js';

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
  known: Pick<TakenKey, 'requestHash' | 'madeId'> | undefined,
  { hash, field }: Pick<KeyedRequest, 'hash' | 'field'>,
): string | undefined {
  if (known && !known.requestHash.equals(hash)) throw new Refusal('IDEMPOTENCY_KEY_REUSED', { field });
  return known?.madeId;
}

/** Like `findIdByKey`. The change depends on the key: if another request takes it meanwhile, the change is decided again. */
export async function readIdByKey(change: Change, { key, hash, field }: KeyedRequest): Promise<string | undefined> {
  return toMadeId(await readKey(change, key), { hash, field });
}

/** Takes a new key for the record that the change creates. If another request takes it meanwhile, the change is repeated. */
export function takeKey(change: Change, { key, hash }: KeyedRequest, madeId: string): void {
  change.insert(idempotencyKeys, { ...key, requestHash: hash, madeId, createdAt: realNow() });
}

/** Deletes the key of a record that is deleted, unless the key belongs to another one by now. */
export async function forgetKey(change: Change, key: IdempotencyKey, madeId: string): Promise<void> {
  const taken = await readKey(change, key);
  if (taken?.madeId === madeId) change.delete(idempotencyKeys, taken);
}

/**
 * Releases the key of a payment, whichever application sent it: that of `key` first (decision 0028). Returns the id of the record that it created. An
 * application that has released its own key meant that record: its retry does not reach the record of another application.
 */
export async function releaseKey(change: Change, key: IdempotencyKey): Promise<string | undefined> {
  const own = await readKey(change, key);
  const isOwn = own !== undefined || (await readKey(change, releasedKey(key))) !== undefined;
  const taken = isOwn ? own : await readKeyOfOthers(change, key);
  if (taken) await leaveTrace(change, taken);
  return taken?.madeId;
}

/** Deletes the key of a record that stays. By the trace, a retry finds that its application had this key. */
async function leaveTrace(change: Change, taken: TakenKey): Promise<void> {
  const trace = { ...releasedKey(taken), requestHash: Buffer.alloc(0), madeId: taken.madeId, createdAt: realNow() };
  const known = await readKey(change, trace);
  change.delete(idempotencyKeys, taken);
  if (known) change.save(idempotencyKeys, known, trace);
  else change.insert(idempotencyKeys, trace);
}

function releasedKey({ applicationId, key }: IdempotencyKey): IdempotencyKey {
  return { applicationId, operation: 'createPayment:released', key };
}
