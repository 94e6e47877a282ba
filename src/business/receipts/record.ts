/** The receipt columns of a sale: the receipt in its stored form, and the copy that v1 shows. */
import type { Receipt } from './model.js';
import { type StoredReceipt, storeReceipt } from './stored.js';
import { printReceipt } from './v1.print.js';

export interface ReceiptRecord {
  readonly receipt: Receipt;
  readonly stored: StoredReceipt;
  /** Printed by version `V1_COPY_VERSION` of the printer. */
  readonly v1Copy: string;
}

export function toReceiptRecord(receipt: Receipt, currency: string): ReceiptRecord {
  return { receipt, stored: storeReceipt(receipt), v1Copy: printReceipt(receipt, currency) };
}
