/** Defines the table of sales. Sales of the API are written together with their payments. */
import type { Instant } from '../../base/time.js';
import type { Definitions } from '../../database/columns.js';
import { Table } from '../../database/table.js';
import type { StoredReceipt } from '../receipts/stored.js';
import type { RegisterField, Sale, SaleKind } from './model.js';

/** A sale of any kind. Only that of a register has the fields of a register. */
export type AnySale = Omit<Sale, 'kind' | RegisterField> & { readonly kind: SaleKind } & {
  readonly [Field in RegisterField]: Sale[Field] | null;
};

/** The columns that a change of a sale depends on: all but the documents. */
export const SALE: Definitions<AnySale> = {
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
  keepsOwnId: 'value',
  openLines: 'json text',
};

export interface SaleReceipt {
  readonly receipt: StoredReceipt;
  readonly v1Receipt: string;
  readonly v1ReceiptVersion: number;
  readonly v1ReceiptPrinter: string;
}

/** The last tender, edit or cancellation after the sale was rung up (decision 0235). All four are null if there was none. */
export interface LastActColumns {
  readonly lastDeviceId: string | null;
  readonly lastDeviceName: string | null;
  readonly lastEmployeeId: string | null;
  readonly lastActAt: Instant | null;
}

type Documented = AnySale & SaleReceipt & LastActColumns;

/** The columns that sales of all kinds have. */
type CommonField = 'id' | 'locationId' | 'kind' | 'state' | 'paid';

type StoredSale = Pick<Documented, CommonField> & {
  readonly [Field in Exclude<keyof Documented, CommonField>]: Documented[Field] | null;
} & {
  /** Of a register. */
  readonly requestHash: Buffer | null;
};

export const sales = new Table<StoredSale>('sales', {
  key: ['id'],
  columns: {
    ...SALE,
    requestHash: 'bytes',
    receipt: 'json text',
    v1Receipt: { column: 'v1_receipt', as: 'value' },
    v1ReceiptVersion: { column: 'v1_receipt_version', as: 'value' },
    v1ReceiptPrinter: { column: 'v1_receipt_printer', as: 'value' },
    lastDeviceId: 'value',
    lastDeviceName: 'value',
    lastEmployeeId: 'value',
    lastActAt: 'time',
  },
});
