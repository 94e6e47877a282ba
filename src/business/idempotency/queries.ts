/** SQL statements on idempotency keys (decision 0027). `create_payments` takes the keys of payments. */
import type { Change } from '../../database/change.js';
import type { Sql } from '../../database/database.js';
import { type IdempotencyKey, idempotencyKeys, type TakenKey } from './table.js';

/** Finds the key of a request. The change depends on it, also if there is none. */
export async function readKey(
  change: Change,
  { applicationId, operation, key }: IdempotencyKey,
): Promise<TakenKey | undefined> {
  return change.read(idempotencyKeys, { applicationId, operation, key });
}

/** Finds the newest record that any application created with the key. The change depends on it. */
export async function readKeyOfOthers(change: Change, key: IdempotencyKey): Promise<TakenKey | undefined> {
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
  return row && readKey(change, { ...key, ...row });
}

/** The key of a request, with what it made. */
export async function findKey(
  sql: Sql,
  merchantId: string,
  { applicationId, operation, key }: IdempotencyKey,
): Promise<Pick<TakenKey, 'requestHash' | 'madeId'> | undefined> {
  const [row] = await sql<Pick<TakenKey, 'requestHash' | 'madeId'>[]>`
    select request_hash, made_id
    from idempotency_keys
    where merchant_id = ${merchantId} and application_id = ${applicationId} and operation = ${operation} and key = ${key}`;
  return row;
}
