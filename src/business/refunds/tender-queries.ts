/** SQL statements that find the tenders of a sale for a refund. */
import type { Instant } from '../../base/time.js';
import type { Change, Versioned } from '../../database/change.js';
import type { Sql } from '../../database/database.js';
import type { DisputablePayment } from '../payments/model.js';
import { selectDispute } from '../payments/queries.js';
import { dependOnPayment } from '../payments/rows.js';
import { PAYMENT_COLUMNS } from '../payments/table.js';
import type { PaidTender } from '../receipts/breakdown.js';
import type { ItemRefund } from '../receipts/item-refunds.js';
import type { Receipt } from '../receipts/model.js';
import { fromStoredReceipt, type StoredReceipt, type WithStoredBreakdown, withBreakdown } from '../receipts/stored.js';
import type { SaleKind, SaleState } from '../sales/model.js';
import { findSaleId } from '../sales/queries.js';
import { sales } from '../sales/table.js';

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
  /** The pending and completed refunds by item. Each of them gives the sale a new version. */
  readonly itemRefunds: readonly ItemRefund[];
}

/**
 * Finds a sale that is refunded, by its own id or by the id of one of its tenders (contract 4.2 rules 4 and 6). The change depends
 * on it.
 */
export async function readTenderedSale(change: Change, id: string): Promise<TenderedSale | undefined> {
  const row = await findRow(change.sql, change.merchantId, id);
  if (!row) return undefined;
  change.dependOn(sales, row);
  return toTenderedSale(row);
}

type TenderedSaleRow = Omit<SaleWithTenders, 'itemRefunds'> &
  Versioned & {
    readonly kind: SaleKind;
    readonly receipt: StoredReceipt | null;
    readonly itemRefunds: readonly WithStoredBreakdown<ItemRefund>[];
  };

async function findRow(sql: Sql, merchantId: string, id: string): Promise<TenderedSaleRow | undefined> {
  const [row] = await sql<TenderedSaleRow[]>`
    select
      sale.xmin::text as version, sale.sale_id as id, sale.location_id, sale.kind, sale.state, sale.created_at, sale.device_id, sale.employee_id,
      sale.receipt::text, paid.tenders,
      (
        select
          coalesce(json_agg(
            json_build_object('paymentId', payment_id, 'amount', amount, 'breakdown', breakdown)
            order by created_at, refund_id
          ), '[]')
        from refunds
        where merchant_id = ${merchantId} and paid.is_refunded and payment_id = any (sale.tender_ids)
          and status in ('PENDING', 'COMPLETED') and breakdown -> 'items' is not null
      ) as item_refunds
    from sales sale
    cross join lateral (
      select
        coalesce(json_agg(
          json_build_object('id', payment_id, 'amount', amount, 'tip', tip, 'total', total)
          order by array_position(sale.tender_ids, payment_id)
        ), '[]') as tenders,
        bool_or(refunded + exchanged > 0) as is_refunded
      from payments
      where merchant_id = ${merchantId} and captured_at is not null
        and payment_id = any (case sale.kind when 'API' then array[sale.sale_id] else sale.tender_ids end)
    ) paid
    where sale.merchant_id = ${merchantId} and sale.created_at is not null
      and sale.sale_id = ${findSaleId(sql, merchantId, id)}`;
  return row;
}

function toTenderedSale({ kind, receipt, version: _, ...row }: TenderedSaleRow): TenderedSale {
  const sale = { ...row, itemRefunds: row.itemRefunds.map(toItemRefund) };
  if (kind === 'API' || receipt === null) return { ...sale, kind: 'API', receipt: null };
  return { ...sale, kind, receipt: fromStoredReceipt(receipt) };
}

function toItemRefund(row: WithStoredBreakdown<ItemRefund>): ItemRefund {
  const { breakdown, ...refund } = withBreakdown(row);
  if (!breakdown) throw new Error('a refund by item must have a breakdown');
  return { ...refund, breakdown };
}

/** Finds payments that are refunded. The change depends on them. */
export async function readTenders(change: Change, ids: readonly string[]): Promise<DisputablePayment[]> {
  const { sql, merchantId } = change;
  const rows = await sql<(DisputablePayment & Versioned)[]>`
    select ${PAYMENT_COLUMNS.select(sql)}, ${selectDispute(sql, merchantId)}, xmin::text as version
    from payments
    where merchant_id = ${merchantId} and payment_id = any (${ids as string[]}::text[]) and captured_at is not null`;
  for (const row of rows) dependOnPayment(change, row);
  return rows;
}
