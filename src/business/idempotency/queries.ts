/** SQL statements on idempotency keys (decision 0027). `create_payments` takes the keys of payments. */
import { type Change, json, type Versioned } from '../../database/change.js';
import type { Sql } from '../../database/database.js';

/** Stands for the application in the keys of owners: every key belongs to an application, and the dashboard is none. */
export const OWNER_KEYS = 'dashboard';

export interface IdempotencyKey {
  /** The application that sent the key, or `OWNER_KEYS`. Keys of different applications are different keys. */
  readonly applicationId: string;
  readonly operation: 'createPayment' | 'createPayment:released' | 'refundPayment' | 'createRefund' | 'refundSale';
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

/** Finds the trace of a released key of a payment. The change depends on it, also if there is none. */
export async function readReleasedKey(change: Change, key: IdempotencyKey): Promise<KnownKey | undefined> {
  return readKey(change, { ...key, operation: 'createPayment:released' });
}

/** Finds the newest record that any application created with the key. The change depends on it. */
export async function readKeyOfOthers(
  change: Change,
  key: IdempotencyKey,
): Promise<[KnownKey | undefined, Pick<IdempotencyKey, 'applicationId'>]> {
  const { sql, merchantId } = change;
  // The primary key begins with merchant and application. A merchant has few applications, so each is looked up in turn.
  const [row] = await sql<{ applicationId: string }[]>`
    with recursive applications as (
      select min(application_id) as application_id
      from idempotency_keys
      where merchant_id = ${merchantId}
      union all
      select (
        select min(k.application_id)
        from idempotency_keys k
        where k.merchant_id = ${merchantId} and k.application_id > applications.application_id
      )
      from applications
      where application_id is not null
    )
    select k.application_id
    from idempotency_keys k
    where k.merchant_id = ${merchantId} and k.application_id in (select application_id from applications)
      and k.operation = ${key.operation} and k.key = ${key.key}
    order by k.made_id desc
    limit 1`;
  return row ? [await readKey(change, { ...key, ...row }), row] : [undefined, key];
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
