/** SQL statements on idempotency keys (decision 0027). `create_payments` takes the keys of payments. */
import type { Sql, Tx } from '../../database/database.js';

export interface IdempotencyKey {
  readonly applicationId: string;
  readonly operation: 'createPayment' | 'refundPayment' | 'createRefund';
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

/** Inserts a key. Returns no row if the key is taken. */
export function insertKey(
  tx: Tx,
  merchantId: string,
  { applicationId, operation, key }: IdempotencyKey,
  requestHash: Buffer,
  madeId: string,
) {
  return tx`
    insert into idempotency_keys (merchant_id, application_id, operation, key, request_hash, made_id)
    values (${merchantId}, ${applicationId}, ${operation}, ${key}, ${requestHash}, ${madeId})
    on conflict do nothing
    returning made_id`;
}

/** The id of the record that the key created, and the hash of that request. */
export async function findKey(
  sql: Sql,
  merchantId: string,
  { applicationId, operation, key }: IdempotencyKey,
): Promise<{ requestHash: Buffer; madeId: string } | undefined> {
  const [row] = await sql<{ requestHash: Buffer; madeId: string }[]>`
    select request_hash, made_id
    from idempotency_keys
    where merchant_id = ${merchantId} and application_id = ${applicationId} and operation = ${operation} and key = ${key}`;
  return row;
}

/** Returns the id of the record that the key had created. */
export async function deleteKey(
  tx: Tx,
  merchantId: string,
  { applicationId, operation, key }: IdempotencyKey,
): Promise<string | undefined> {
  const [row] = await tx<{ madeId: string }[]>`
    delete from idempotency_keys
    where merchant_id = ${merchantId} and application_id = ${applicationId} and operation = ${operation} and key = ${key}
    returning made_id`;
  return row?.madeId;
}
