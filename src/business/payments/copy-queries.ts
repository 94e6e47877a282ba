/** SQL statements on the stored copies of payments, which are renewed in the background (decision 0256). */
import type { Database, Fragment, Sql, Tx } from '../../database/database.js';
import { fn } from '../../database/functions.js';
import { NAMED_PRINTER, PAYMENT_PRINTER, printCopy } from './copies.js';
import type { Payment, PaymentStatus } from './model.js';
import { PAYMENT_COLUMNS } from './table.js';

/** Whether a row has a copy of this printer. */
export function hasCurrentCopy(sql: Sql): Fragment {
  return sql`v2_json_version = ${NAMED_PRINTER} and v2_json_printer = ${PAYMENT_PRINTER}`;
}

/**
 * Merchants after `after`, in the order of their ids, whose payments may have copies of another printer. On one shard, see
 * `listShards`. Reads without locks.
 */
export async function listMerchantsWithOldCopies(
  sql: Sql,
  { shard, after, limit }: { readonly shard: string; readonly after: string; readonly limit: number },
): Promise<string[]> {
  const rows = await sql<{ merchantId: string }[]>`
    select ${fn(sql, 'list_merchants_with_old_copies')}(${shard}, ${after}, ${limit}, ${PAYMENT_PRINTER}) as merchant_id`;
  return rows.map(({ merchantId }) => merchantId);
}

/** Renews the copies of the next payments of a merchant, at most `limit`. Returns whether there are more. Nothing is locked in between. */
export async function updateOldCopies(
  { statement, sql }: Pick<Database, 'statement' | 'sql'>,
  merchantId: string,
  limit: number,
): Promise<boolean> {
  const after = await statement((tx) => insertRenewal(tx, merchantId));
  if (after === null) return false;
  const found = await listNextPayments(sql, merchantId, { after, limit });
  const last = found.length === limit ? (found.at(-1)?.id ?? null) : null;
  await statement((tx) => updateCopies(tx, merchantId, { after, last, found }));
  return last !== null;
}

/** Begins the renewal if this printer has not done so yet. Returns the payment that was renewed last; null: all are. */
async function insertRenewal(tx: Tx, merchantId: string): Promise<string | null> {
  const [row] = await tx<{ after: string | null }[]>`
    select ${fn(tx, 'begin_copy_renewal')}(${merchantId}, ${PAYMENT_PRINTER}) as after`;
  return row?.after ?? null;
}

type FoundPayment = Payment<PaymentStatus> & { readonly version: string; readonly isCurrent: boolean };

async function listNextPayments(
  sql: Sql,
  merchantId: string,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<FoundPayment[]> {
  return sql<FoundPayment[]>`
    select ${PAYMENT_COLUMNS.select(sql)}, xmin::text as version, coalesce(${hasCurrentCopy(sql)}, false) as is_current
    from payments
    where merchant_id = ${merchantId} and payment_id > ${after}
    order by payment_id
    limit ${limit}`;
}

interface Renewed {
  readonly after: string;
  readonly last: string | null;
  readonly found: readonly FoundPayment[];
}

async function updateCopies(tx: Tx, merchantId: string, { after, last, found }: Renewed): Promise<void> {
  const copies = found
    .filter(({ isCurrent, sourceType }) => !isCurrent && sourceType === 'CARD')
    .map((payment) => ({ payment_id: payment.id, version: payment.version, v2_json: printCopy(payment) }));
  await tx`
    select ${fn(tx, 'renew_payment_copies')}(
      ${merchantId}, ${PAYMENT_PRINTER}, ${after}, ${JSON.stringify(copies)}::text::json, ${last}
    )`;
}
