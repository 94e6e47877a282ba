/** Reads the v2 JSON of single payments. Finds card payments only (decision 0025). */
import type { Database, Sql, Tx } from '../../database/database.js';
import { fn } from '../../database/functions.js';
import { type PaymentJson, readWithJson } from './queries.js';

interface PaymentKey {
  readonly merchantId: string;
  readonly paymentId: string;
}

/** Requests that arrive together share a statement, as those that create payments do (decision 0175). */
export function findPaymentJson(database: Database, key: PaymentKey): Promise<PaymentJson | undefined> {
  return database.batched(listPaymentJsons, key);
}

async function listPaymentJsons(
  tx: Tx,
  keys: readonly PaymentKey[],
  isShared: boolean,
): Promise<readonly (PaymentJson | undefined)[]> {
  if (!isShared || keys.length === 1) return Promise.all(keys.map((key) => findAlone(tx, key)));
  const merchantIds = keys.map(({ merchantId }) => merchantId);
  const paymentIds = keys.map(({ paymentId }) => paymentId);
  // A subquery is always a search by key. A join could become a scan of the table.
  const rows = await tx<{ v2Json: string | null }[]>`
    select (
      select case when v2_json_version = ${fn(tx, 'payment_copy_version')}() then v2_json else '' end
      from payments
      where payments.merchant_id = asked.merchant_id and payments.payment_id = asked.payment_id
        and source_type = 'CARD' and status <> 'PENDING'
    ) as v2_json
    from unnest(${merchantIds}::text[], ${paymentIds}::text[]) with ordinality as asked (merchant_id, payment_id, place)
    order by place`;
  return Promise.all(keys.map((key, index) => fromCopy(tx, key, rows[index]?.v2Json ?? null)));
}

/** Null: there is no such payment. Empty: its copy is of another version. */
function fromCopy(
  sql: Sql,
  key: PaymentKey,
  v2Json: string | null,
): PaymentJson | undefined | Promise<PaymentJson | undefined> {
  if (v2Json === null) return undefined;
  return v2Json === '' ? findAlone(sql, key) : { v2Json };
}

async function findAlone(sql: Sql, { merchantId, paymentId }: PaymentKey): Promise<PaymentJson | undefined> {
  const [row] = await readWithJson(
    sql,
    (v2Json) => sql<PaymentJson[]>`
      select ${v2Json} as v2_json
      from payments
      where merchant_id = ${merchantId} and payment_id = ${paymentId} and source_type = 'CARD' and status <> 'PENDING'`,
  );
  return row;
}
