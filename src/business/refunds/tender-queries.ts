/** SQL statements that find and lock the tenders of a sale for a refund. */
import type { Instant } from '../../base/time.js';
import type { Fragment, Sql, Tx } from '../../database/database.js';
import type { Payment } from '../payments/model.js';
import { PAYMENT_COLUMNS } from '../payments/queries.js';
import type { PaidTender } from '../receipts/breakdown.js';
import type { Receipt } from '../receipts/model.js';
import { readReceipt, type StoredReceipt } from '../receipts/stored.js';
import type { SaleKind, SaleState } from '../sales/model.js';
import { findSaleId } from '../sales/queries.js';

/** What refunds need to know of a sale. */
export type TenderedSale = SaleWithTenders & (WithReceipt | WithoutReceipt);

interface WithReceipt {
  readonly kind: Exclude<SaleKind, 'API'>;
  readonly receipt: Receipt;
}

interface WithoutReceipt {
  readonly kind: 'API';
  readonly receipt: null;
}

interface SaleWithTenders {
  readonly id: string;
  readonly locationId: string;
  readonly state: SaleState;
  readonly createdAt: Instant;
  /** The register and the employee of the sale. Null without a register. */
  readonly deviceId: string | null;
  readonly employeeId: string | null;
  /** The captured payments in the order in which they were taken. Empty for a free sale. */
  readonly tenders: readonly PaidTender[];
}

/** A sale by its own id or by the id of one of its tenders (contract 4.2 rules 4 and 6). */
export async function findTenderedSale(sql: Sql, merchantId: string, id: string): Promise<TenderedSale | undefined> {
  return readTenderedSale(sql, merchantId, id, sql``);
}

/** Finds and locks the sale, so that concurrent refunds of its tenders run one after the other. */
export async function lockTenderedSale(tx: Tx, merchantId: string, id: string): Promise<TenderedSale | undefined> {
  return readTenderedSale(tx, merchantId, id, tx`for update of sale`);
}

type TenderedSaleRow = SaleWithTenders & { readonly kind: SaleKind; readonly receipt: StoredReceipt | null };

async function readTenderedSale(
  sql: Sql,
  merchantId: string,
  id: string,
  lock: Fragment,
): Promise<TenderedSale | undefined> {
  const [row] = await sql<TenderedSaleRow[]>`
    select
      sale.sale_id as id, sale.location_id, sale.kind, sale.state, sale.created_at, sale.device_id, sale.employee_id,
      sale.receipt::text, paid.tenders
    from sales sale
    cross join lateral (
      select
        coalesce(json_agg(
          json_build_object('id', payment_id, 'amount', amount, 'tip', tip, 'total', total)
          order by array_position(sale.tender_ids, payment_id)
        ), '[]') as tenders
      from payments
      where merchant_id = ${merchantId} and captured_at is not null
        and payment_id = any (case sale.kind when 'API' then array[sale.sale_id] else sale.tender_ids end)
    ) paid
    where sale.merchant_id = ${merchantId} and sale.created_at is not null
      and sale.sale_id = ${findSaleId(sql, merchantId, id)}
    ${lock}`;
  if (!row) return undefined;
  const { kind, receipt, ...sale } = row;
  if (kind === 'API' || receipt === null) return { ...sale, kind: 'API', receipt: null };
  return { ...sale, kind, receipt: readReceipt(receipt) };
}

/** Locks payments while they are refunded, always in the same order to avoid deadlocks. */
export async function lockTenders(tx: Tx, merchantId: string, ids: readonly string[]): Promise<Payment[]> {
  return tx<Payment[]>`
    select ${PAYMENT_COLUMNS.select(tx)}
    from payments
    where merchant_id = ${merchantId} and payment_id = any (${ids as string[]}::text[]) and captured_at is not null
    order by payment_id
    for update`;
}
