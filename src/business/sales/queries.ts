/** SQL statements on sales. Sales of the API are written together with their payments. */
import { requireFound } from '../../base/errors.js';
import { ZERO } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { Change, Versioned } from '../../database/change.js';
import { Columns } from '../../database/columns.js';
import type { Bulk } from '../../database/copy.js';
import type { Fragment, Sql } from '../../database/database.js';
import { fn } from '../../database/functions.js';
import { COPY_VERSION, type ReceiptRecord } from '../receipts/copies.js';
import type { ReceiptInput } from '../receipts/model.js';
import { fromStoredLines, type StoredLines } from '../receipts/stored.js';
import { type OnlineSale, type Sale, v1IdOf } from './model.js';
import { type AnySale, type LastActColumns, SALE, type SaleReceipt, sales } from './table.js';

const SALE_COLUMNS = new Columns<AnySale>(SALE);

type RegisterSaleToInsert = Sale & { readonly receipt: ReceiptRecord; readonly requestHash: Buffer };
type OnlineSaleToInsert = OnlineSale & { readonly receipt: ReceiptRecord };
type ApiSale = Pick<Sale, 'id' | 'locationId' | 'createdAt'> & { readonly kind: 'API'; readonly state: 'COMPLETED' };

export type PastSale = RegisterSaleToInsert | OnlineSaleToInsert | ApiSale;

/** The columns that store a receipt. */
export function toSaleReceipt({ stored: receipt, v1Copy: v1Receipt }: ReceiptRecord): SaleReceipt {
  return { receipt, v1Receipt, ...COPY_VERSION };
}

/** Bulk insert of past sales in their current state. */
export function insertPastSales(past: Bulk, merchantId: string, given: readonly PastSale[]): void {
  const rows = given.map((sale) =>
    sale.kind === 'API' ? { ...sale, paid: ZERO } : { ...sale, ...toSaleReceipt(sale.receipt) },
  );
  sales.copy(past, merchantId, rows);
}

/** The id in v1 of the sale with this alias. */
export const selectV1Id = (sql: Sql, sale: string): Fragment => sql`
  ${fn(sql, 'v1_id')}(
    ${sql(`${sale}.sale_id`)}, ${sql(`${sale}.tender_ids`)}, ${sql(`${sale}.paid`)}, ${sql(`${sale}.due`)},
    ${sql(`${sale}.keeps_own_id`)}
  )`;

/** The last tender, edit or cancellation after the sale was rung up (decision 0235). */
interface LastAct {
  readonly deviceId: string;
  readonly deviceName: string;
  readonly employeeId: string;
  readonly at: Instant;
}

/** A sale with the version that an editor sends back, and with its lines. */
export type EditableSale = Sale &
  Versioned & {
    readonly lines: ReceiptInput | null;
    readonly lastAct: LastAct | undefined;
    /** The id in v1, if v1 shows the sale: it has a tender, or is free. */
    readonly v1Id: string;
  };

type EditableRow = Sale & Versioned & LastActColumns & { readonly openLines: StoredLines | null };

const editableColumns = (sql: Sql): Fragment => sql`
  ${SALE_COLUMNS.select(sql)}, xmin::text as version, last_device_id, last_device_name, last_employee_id, last_act_at`;

function toEditable({ lastDeviceId, lastDeviceName, lastEmployeeId, lastActAt, ...sale }: EditableRow): EditableSale {
  const wasChanged = lastDeviceId !== null && lastDeviceName !== null && lastEmployeeId !== null && lastActAt !== null;
  const lastAct = wasChanged
    ? { deviceId: lastDeviceId, deviceName: lastDeviceName, employeeId: lastEmployeeId, at: lastActAt }
    : undefined;
  return { ...sale, lastAct, lines: sale.openLines && fromStoredLines(sale.openLines), v1Id: v1IdOf(sale) };
}

/** A sale of a register, by its own id or by the id of one of its tenders. */
export async function findSale(sql: Sql, merchantId: string, id: string): Promise<EditableSale | undefined> {
  const [row] = await sql<EditableRow[]>`
    select ${editableColumns(sql)}
    from sales
    where merchant_id = ${merchantId} and sale_id = ${findSaleId(sql, merchantId, id)} and kind = 'REGISTER'`;
  return row && toEditable(row);
}

/** The open sales of a location, newest first. */
export async function listOpenSales(
  sql: Sql,
  merchantId: string,
  { locationId, limit }: { readonly locationId: string; readonly limit: number },
): Promise<EditableSale[]> {
  const rows = await sql<EditableRow[]>`
    select ${editableColumns(sql)}
    from sales
    where merchant_id = ${merchantId} and location_id = ${locationId} and kind = 'REGISTER' and state = 'OPEN'
    order by rung_up_at desc, sale_id desc
    limit ${limit}`;
  return rows.map(toEditable);
}

/** The sale that a register has already sent with its own id, with the hash of that request. */
export async function findRegisterSale(
  sql: Sql,
  merchantId: string,
  { deviceId, registerSaleId }: Pick<Sale, 'deviceId' | 'registerSaleId'>,
): Promise<(Sale & { requestHash: Buffer } & Versioned) | undefined> {
  const [row] = await sql<(Sale & { requestHash: Buffer } & Versioned)[]>`
    select ${SALE_COLUMNS.select(sql)}, request_hash, xmin::text as version
    from sales
    where merchant_id = ${merchantId} and kind = 'REGISTER' and device_id = ${deviceId}
      and register_sale_id = ${registerSaleId}`;
  return row;
}

/** Like `findRegisterSale`. The change depends on it, also if there is none. */
export async function readRegisterSale(
  change: Change,
  { deviceId, registerSaleId }: Pick<Sale, 'deviceId' | 'registerSaleId'>,
): Promise<(Sale & { requestHash: Buffer }) | undefined> {
  const known = await findRegisterSale(change.sql, change.merchantId, { deviceId, registerSaleId });
  change.expect('register_sales', [deviceId, registerSaleId], known);
  return known;
}

/** Finds a sale for which a tender is taken, or which is edited or canceled. The change depends on it. */
export async function readSale(change: Change, id: string): Promise<EditableSale | undefined> {
  const { sql, merchantId } = change;
  const [row] = await sql<EditableRow[]>`
    select ${editableColumns(sql)}
    from sales
    where merchant_id = ${merchantId} and sale_id = ${findSaleId(sql, merchantId, id)} and kind = 'REGISTER'`;
  if (row) change.dependOn(sales, row);
  return row && toEditable(row);
}

/** Finds the sale of a payment or of an order, of any kind. The change depends on it. */
export async function readPayableSale(change: Change, saleId: string): Promise<AnySale & Versioned> {
  const { sql, merchantId } = change;
  const [row] = await sql<(AnySale & Versioned)[]>`
    select ${SALE_COLUMNS.select(sql)}, xmin::text as version
    from sales
    where merchant_id = ${merchantId} and sale_id = ${saleId}`;
  const sale = requireFound(row, 'the sale of a tender');
  change.dependOn(sales, sale);
  return sale;
}

/** An expression for the id of a sale, from its own id or the id of one of its tenders (decision 0014). */
export function findSaleId(sql: Sql, merchantId: string, id: string): Fragment {
  return sql`
    coalesce(
      (
        select named.sale_id
        from payments named
        where named.merchant_id = ${merchantId} and named.payment_id = ${id} and named.captured_at is not null
      ),
      ${id}
    )`;
}
