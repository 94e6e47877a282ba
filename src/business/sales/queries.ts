/** SQL statements on sales. Sales of the API are written together with their payments. */
import { type Amount, ZERO } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import { Columns, type Definitions } from '../../database/columns.js';
import type { Bulk } from '../../database/copy.js';
import type { Fragment, Sql, Tx } from '../../database/database.js';
import { fn } from '../../database/functions.js';
import type { ReceiptRecord } from '../receipts/record.js';
import type { StoredReceipt } from '../receipts/stored.js';
import { V1_COPY_VERSION } from '../receipts/v1.print.js';
import type { OnlineSale, Sale, SaleKind } from './model.js';

type AnySale = Omit<Sale, 'kind'> & { readonly kind: SaleKind };

const SALE: Definitions<AnySale> = {
  id: { column: 'sale_id', as: 'value' },
  locationId: 'value',
  kind: 'value',
  state: 'value',
  createdAt: 'time',
  deviceId: 'value',
  deviceName: 'value',
  employeeId: 'value',
  registerSaleId: 'value',
  rungUpAt: 'time',
  due: 'value',
  paid: 'value',
  tenderIds: 'value',
};

const SALE_COLUMNS = new Columns<AnySale>(SALE);

/** A sale with what is written once and read separately. */
interface StoredSale extends AnySale {
  readonly requestHash: Buffer;
  readonly receipt: StoredReceipt;
  readonly v1Receipt: string;
  readonly v1ReceiptVersion: number;
}

const STORED_COLUMNS = new Columns<StoredSale>({
  ...SALE,
  requestHash: 'bytes',
  receipt: 'json text',
  v1Receipt: { column: 'v1_receipt', as: 'value' },
  v1ReceiptVersion: { column: 'v1_receipt_version', as: 'value' },
});

type RegisterSaleToInsert = Sale & { readonly receipt: ReceiptRecord; readonly requestHash: Buffer };
type OnlineSaleToInsert = OnlineSale & { readonly receipt: ReceiptRecord };
type ApiSale = Pick<Sale, 'id' | 'locationId' | 'createdAt'> & { readonly kind: 'API'; readonly state: 'COMPLETED' };

export type PastSale = RegisterSaleToInsert | OnlineSaleToInsert | ApiSale;

function toStored(sale: PastSale) {
  if (sale.kind === 'API') return { ...sale, paid: ZERO };
  const { stored: receipt, v1Copy: v1Receipt } = sale.receipt;
  return { ...sale, receipt, v1Receipt, v1ReceiptVersion: V1_COPY_VERSION };
}

/** A sale as an argument of a function. */
export function toSaleRow(sale: RegisterSaleToInsert | OnlineSaleToInsert): string {
  return STORED_COLUMNS.toRow(toStored(sale));
}

/** Bulk insert of past sales in their current state. */
export function insertPastSales(past: Bulk, merchantId: string, sales: readonly PastSale[]): void {
  past.copy(
    'sales',
    (tx) => tx`copy sales (merchant_id, ${STORED_COLUMNS.names(tx)}) from stdin`,
    sales,
    (sale) => [merchantId, ...STORED_COLUMNS.toCells(toStored(sale))],
  );
}

/** A sale of a register, by its own id or by the id of one of its tenders. */
export async function findSale(sql: Sql, merchantId: string, id: string): Promise<Sale | undefined> {
  const [row] = await sql<Sale[]>`
    select ${SALE_COLUMNS.select(sql)}
    from sales
    where merchant_id = ${merchantId} and sale_id = ${findSaleId(sql, merchantId, id)} and kind = 'REGISTER'`;
  return row;
}

/** The sale that a register has already sent with its own id, with the hash of that request. */
export async function findRegisterSale(
  sql: Sql,
  merchantId: string,
  { deviceId, registerSaleId }: Pick<Sale, 'deviceId' | 'registerSaleId'>,
): Promise<(Sale & { requestHash: Buffer }) | undefined> {
  const [row] = await sql<(Sale & { requestHash: Buffer })[]>`
    select ${SALE_COLUMNS.select(sql)}, request_hash
    from sales
    where merchant_id = ${merchantId} and kind = 'REGISTER' and device_id = ${deviceId}
      and register_sale_id = ${registerSaleId}`;
  return row;
}

/** Locks a sale while a tender is taken for it, or while it is canceled. */
export async function lockSale(tx: Tx, merchantId: string, id: string): Promise<Sale | undefined> {
  const [row] = await tx<Sale[]>`
    select ${SALE_COLUMNS.select(tx)}
    from sales
    where merchant_id = ${merchantId} and sale_id = ${findSaleId(tx, merchantId, id)} and kind = 'REGISTER'
    for update`;
  return row;
}

/** Returns false if the register has already sent a sale with this id. */
export async function insertSale(
  tx: Tx,
  merchantId: string,
  sale: Sale,
  request: { readonly receipt: ReceiptRecord; readonly requestHash: Buffer },
): Promise<boolean> {
  const [row] = await tx<{ isNew: boolean }[]>`
    select ${fn(tx, 'open_sale')}(${merchantId}, ${toSaleRow({ ...sale, ...request })}::text::json) as is_new`;
  return row?.isNew ?? false;
}

/** Adds a captured tender. The last tender completes the sale. */
export async function updateSaleWithTender(
  tx: Tx,
  merchantId: string,
  { saleId, paymentId, amount, at }: { saleId: string; paymentId: string; amount: Amount; at: Instant },
): Promise<void> {
  await tx`select ${fn(tx, 'add_tender_to_sale')}(${merchantId}, ${saleId}, ${paymentId}, ${amount}, ${at})`;
}

/** OPEN -> COMPLETED, for a sale with a total of zero and without tenders. */
export async function moveFreeSaleToCompleted(tx: Tx, merchantId: string, saleId: string, at: Instant): Promise<void> {
  await tx`select ${fn(tx, 'complete_free_sale')}(${merchantId}, ${saleId}, ${at})`;
}

/** OPEN -> CANCELED. Returns undefined if the sale is no longer OPEN. */
export async function moveSaleToCanceled(tx: Tx, merchantId: string, saleId: string): Promise<Sale | undefined> {
  const [row] = await tx<Sale[]>`
    update sales
    set state = 'CANCELED'
    where merchant_id = ${merchantId} and sale_id = ${saleId} and state = 'OPEN'
    returning ${SALE_COLUMNS.select(tx)}`;
  return row;
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
