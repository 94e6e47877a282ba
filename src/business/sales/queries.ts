/** SQL statements on sales. Sales of the API are written together with their payments. */
import { type Amount, ZERO } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import { type Change, json, type Versioned } from '../../database/change.js';
import { Columns, type Definitions } from '../../database/columns.js';
import type { Bulk } from '../../database/copy.js';
import { type Fragment, type Sql, toTimestamp } from '../../database/database.js';
import { fn } from '../../database/functions.js';
import type { ReceiptInput } from '../receipts/model.js';
import type { ReceiptRecord } from '../receipts/record.js';
import { fromStoredLines, type StoredLines, type StoredReceipt, storeLines } from '../receipts/stored.js';
import { V1_COPY_VERSION } from '../receipts/v1.print.js';
import type { OnlineSale, RingUpContext, Sale, SaleKind } from './model.js';

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
  label: 'value',
  rungUpAt: 'time',
  due: 'value',
  paid: 'value',
  tenderIds: 'value',
};

const SALE_COLUMNS = new Columns<AnySale>(SALE);

/** A sale with the columns that `Sale` does not have. */
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

/** What an edit of an open sale writes. */
const EDIT_COLUMNS = new Columns<
  Pick<StoredSale, 'id' | 'due' | 'label' | 'receipt' | 'v1Receipt' | 'v1ReceiptVersion'> & { openLines: StoredLines }
>({
  id: SALE.id,
  due: SALE.due,
  label: SALE.label,
  receipt: 'json text',
  v1Receipt: { column: 'v1_receipt', as: 'value' },
  v1ReceiptVersion: { column: 'v1_receipt_version', as: 'value' },
  openLines: 'json text',
});

type RegisterSaleToInsert = Sale & { readonly receipt: ReceiptRecord; readonly requestHash: Buffer };
type OnlineSaleToInsert = OnlineSale & { readonly receipt: ReceiptRecord };
type ApiSale = Pick<Sale, 'id' | 'locationId' | 'createdAt'> & { readonly kind: 'API'; readonly state: 'COMPLETED' };

export type PastSale = RegisterSaleToInsert | OnlineSaleToInsert | ApiSale;

function toStored(sale: PastSale) {
  if (sale.kind === 'API') return Object.assign({}, sale, { paid: ZERO });
  const { stored: receipt, v1Copy: v1Receipt } = sale.receipt;
  return Object.assign({}, sale, { receipt, v1Receipt, v1ReceiptVersion: V1_COPY_VERSION });
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

const ACT_COLUMNS = new Columns<LastAct & { readonly saleId: string }>({
  saleId: 'value',
  deviceId: { column: 'last_device_id', as: 'value' },
  deviceName: { column: 'last_device_name', as: 'value' },
  employeeId: { column: 'last_employee_id', as: 'value' },
  at: { column: 'last_act_at', as: 'time' },
});

/** A sale with the version that an editor sends back. `lines` is null if the sale is not open, or if an older server opened it. */
export type EditableSale = Omit<EditableRow, 'openLines' | keyof ActRow> & {
  readonly lines: ReceiptInput | null;
  readonly lastAct: LastAct | undefined;
};

interface ActRow {
  readonly lastDeviceId: string | null;
  readonly lastDeviceName: string | null;
  readonly lastEmployeeId: string | null;
  readonly lastActAt: Instant | null;
}

type EditableRow = Sale &
  Versioned &
  ActRow & {
    readonly openLines: StoredLines | null;
    /** The id in v1, if v1 shows the sale: it has a tender, or is free. */
    readonly v1Id: string;
  };

const editableColumns = (sql: Sql): Fragment => sql`
  ${SALE_COLUMNS.select(sql)}, ${selectV1Id(sql, 'sales')} as v1_id, open_lines::text, xmin::text as version,
  last_device_id, last_device_name, last_employee_id, last_act_at`;

function toEditable({
  openLines,
  lastDeviceId,
  lastDeviceName,
  lastEmployeeId,
  lastActAt,
  ...sale
}: EditableRow): EditableSale {
  const wasChanged = lastDeviceId !== null && lastDeviceName !== null && lastEmployeeId !== null && lastActAt !== null;
  const lastAct = wasChanged
    ? { deviceId: lastDeviceId, deviceName: lastDeviceName, employeeId: lastEmployeeId, at: lastActAt }
    : undefined;
  return { ...sale, lastAct, lines: openLines && fromStoredLines(openLines) };
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
  if (row) change.expect('sales', [row.id], row);
  return row && toEditable(row);
}

/** If the register has already sent a sale with this id, the insert violates sales_register_id, and the change is repeated. */
export function insertSale(
  change: Change,
  sale: Sale,
  request: { readonly receipt: ReceiptRecord; readonly requestHash: Buffer },
): void {
  change.call('open_sale', { sale: json(toSaleRow({ ...sale, ...request })) });
}

/** Keeps the lines of a sale that stays open, so that they can be edited. */
export function updateOpenLines(change: Change, saleId: string, lines: ReceiptInput): void {
  change.call('keep_open_lines', { sale_id: saleId, lines: json(storeLines(lines)) });
}

/** Replaces what an open sale sells. If its tenders pay the new total, the sale is complete. */
export function updateOpenSale(
  change: Change,
  edited: { id: string; due: Amount; label: string | null; receipt: ReceiptRecord; lines: ReceiptInput; at: Instant },
): void {
  const { id, due, label, receipt, lines, at } = edited;
  change.call('edit_open_sale', {
    sale: json(
      EDIT_COLUMNS.toRow({
        ...{ id, due, label, receipt: receipt.stored, openLines: storeLines(lines) },
        ...{ v1Receipt: receipt.v1Copy, v1ReceiptVersion: V1_COPY_VERSION },
      }),
    ),
    at: toTimestamp(at),
  });
}

/** Keeps who acted on an open sale after it was rung up, and where. */
export function updateLastAct(
  change: Change,
  saleId: string,
  { device, employeeId, at }: Pick<RingUpContext, 'device' | 'employeeId' | 'at'>,
): void {
  const act = { saleId, deviceId: device.id, deviceName: device.name, employeeId, at };
  change.call('note_sale_act', { act: json(ACT_COLUMNS.toRow(act)) });
}

/** Gives the sale a new version, so that concurrent decisions about it are made again. */
export function updateSaleVersion(change: Change, saleId: string): void {
  change.call('touch_sale', { sale_id: saleId });
}

/** Adds a captured tender. The last tender completes the sale. */
export function updateSaleWithTender(
  change: Change,
  { saleId, paymentId, amount, at }: { saleId: string; paymentId: string; amount: Amount; at: Instant },
): void {
  change.call('add_tender_to_sale', { sale_id: saleId, payment_id: paymentId, amount, at: toTimestamp(at) });
}

/** OPEN -> COMPLETED, for a sale with a total of zero and without tenders. */
export function moveFreeSaleToCompleted(change: Change, saleId: string, at: Instant): void {
  change.call('complete_free_sale', { sale_id: saleId, at: toTimestamp(at) });
}

/** OPEN -> CANCELED. Does nothing if the sale is no longer OPEN. */
export function moveSaleToCanceled(change: Change, saleId: string): void {
  change.call('cancel_open_sale', { sale_id: saleId });
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
