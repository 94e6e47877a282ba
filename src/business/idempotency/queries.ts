/** SQL statements on idempotency keys (decision 0027). `create_payments` takes the keys of payments. */
import { type Change, json, type Versioned } from '../../database/change.js';
import type { Sql } from '../../database/database.js';

/** Stands for the application in the keys of owners: every key belongs to an application, and the dashboard is none. */
export const OWNER_KEYS = 'dashboard';

export interface IdempotencyKey {
  /** The application that sent the key, or `OWNER_KEYS`. Keys of different applications are different keys. */
  readonly applicationId: string;
  readonly operation: 'createPayment' | 'refundPayment' | 'createRefund' | 'refundSale';
  readonly key: string;
}

/** A row for a function that takes or releases the key of a record. */
export function toKeyRow(
  { applicationId, operation, key }: IdempotencyKey,
  requestHash: Buffer | null,
  madeId: string,
) {
  return JSON.stringify({
    application_id: applicationId,
    operation,
    key,
    request_hash: requestHash && `\\x${requestHash.toString('hex')}`,
    made_id: madeId,
  });
}

/** Inserts a key. If another request takes it meanwhile, the change is repeated. */
export function insertKey(change: Change, key: IdempotencyKey, requestHash: Buffer, madeId: string): void {
  change.call('take_key', { key: json(toKeyRow(key, requestHash, madeId)) });
}

interface KnownKey {
  readonly requestHash: Buffer;
  readonly madeId: string;
}

/** Finds the key of a request. The change depends on it, also if there is none. */
export async function readKey(change: Change, key: IdempotencyKey): Promise<KnownKey | undefined> {
  const known = await findKey(change.sql, change.merchantId, key);
  change.expect('idempotency_keys', [key.applicationId, key.operation, key.key], known);
  return known;
}

/** The id of the record that the key created, and the hash of that request. */
export async function findKey(
  sql: Sql,
  merchantId: string,
  { applicationId, operation, key }: IdempotencyKey,
): Promise<(KnownKey & Versioned) | undefined> {
  const [row] = await sql<(KnownKey & Versioned)[]>`
    select request_hash, made_id, xmin::text as version
    from idempotency_keys
    where merchant_id = ${merchantId} and application_id = ${applicationId} and operation = ${operation} and key = ${key}`;
  return row;
}

/** Deletes the key of a record. */
export function deleteKey(change: Change, key: IdempotencyKey, madeId: string): void {
  change.call('release_key', { key: json(toKeyRow(key, null, madeId)) });
}
