/** All SQL statements on the processors of single merchants. Rows are never deleted: old payments need them. */
import type { SealedSecret } from '../base/sealing.js';
import type { Instant } from '../base/time.js';
import { Columns } from '../database/columns.js';
import type { Sql, Tx } from '../database/database.js';

export interface MerchantProcessor extends SealedSecret {
  readonly merchantId: string;
  readonly id: string;
  readonly kind: 'ADAPTER';
  readonly address: string;
  readonly createdAt: Instant;
}

const COLUMNS = new Columns<MerchantProcessor>({
  merchantId: 'value',
  id: { column: 'processor_id', as: 'value' },
  kind: 'value',
  address: 'value',
  secret: 'bytes',
  keyId: 'value',
  createdAt: 'time',
});

export async function findMerchantProcessor(
  sql: Sql,
  merchantId: string,
  id: string,
): Promise<MerchantProcessor | undefined> {
  const [row] = await sql<MerchantProcessor[]>`
    select ${COLUMNS.select(sql)}
    from merchant_processors
    where merchant_id = ${merchantId} and processor_id = ${id}`;
  return row;
}

/** Oldest first. */
export async function listMerchantProcessors(sql: Sql, merchantId: string): Promise<MerchantProcessor[]> {
  return sql<MerchantProcessor[]>`
    select ${COLUMNS.select(sql)}
    from merchant_processors
    where merchant_id = ${merchantId}
    order by created_at, processor_id`;
}

/** The processors of all merchants, by merchant. There are few: one or two for each merchant that has its own. */
export async function listAllMerchantProcessors(sql: Sql): Promise<MerchantProcessor[]> {
  return sql<MerchantProcessor[]>`
    select ${COLUMNS.select(sql)}
    from merchant_processors
    order by merchant_id, created_at, processor_id`;
}

export async function insertMerchantProcessor(tx: Tx, row: MerchantProcessor): Promise<void> {
  await tx`
    insert into merchant_processors (merchant_id, processor_id, kind, address, secret, key_id, created_at)
    values (
      ${row.merchantId}, ${row.id}, ${row.kind}, ${row.address}, ${row.secret}, ${row.keyId}, ${row.createdAt}
    )`;
}

/** Returns false if the secret is no longer the one that was read. */
export async function updateProcessorSecret(
  tx: Tx,
  { merchantId, id, secret }: Pick<MerchantProcessor, 'merchantId' | 'id' | 'secret'>,
  next: SealedSecret,
): Promise<boolean> {
  const rows = await tx`
    update merchant_processors
    set secret = ${next.secret}, key_id = ${next.keyId}
    where merchant_id = ${merchantId} and processor_id = ${id} and secret = ${secret}
    returning 1`;
  return rows.length > 0;
}

/** Returns false if it is no longer at the address that was read. */
export async function updateProcessorAddress(
  tx: Tx,
  { merchantId, id, address }: Pick<MerchantProcessor, 'merchantId' | 'id' | 'address'>,
  next: string,
): Promise<boolean> {
  const rows = await tx`
    update merchant_processors
    set address = ${next}
    where merchant_id = ${merchantId} and processor_id = ${id} and address = ${address}
    returning 1`;
  return rows.length > 0;
}

/** How many secrets each key has encrypted. */
export async function listKeysInUse(sql: Sql): Promise<{ readonly keyId: string; readonly secrets: number }[]> {
  return sql<{ keyId: string; secrets: number }[]>`
    select key_id, count(*)::integer as secrets
    from merchant_processors
    group by key_id
    order by key_id`;
}
