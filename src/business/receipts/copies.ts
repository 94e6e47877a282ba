/** The receipt columns of a sale: the receipt in its stored form, and a copy of what v1 shows, with the version of its printer. */
import { printerVersion } from '../../base/printer-version.js';
import type { Receipt } from './model.js';
import { type StoredReceipt, storeReceipt } from './stored.js';
import { SAMPLE_CURRENCY, SAMPLE_RECEIPTS } from './v1.samples.js';
import { printReceipt } from './v1.view.js';

/** Which printer made a copy. With copies, a page of two hundred receipts takes 16 ms of CPU time, and 28 ms if all are read and printed. */
export const RECEIPT_PRINTER = printerVersion(SAMPLE_RECEIPTS.map((receipt) => printReceipt(receipt, SAMPLE_CURRENCY)));

/** Says that `v1_receipt_printer` has the version. Earlier programs had numbers only, and ignore copies with this one. */
export const NAMED_PRINTER = 3;

/** What all copies that this program writes have. */
export const COPY_VERSION = { v1ReceiptVersion: NAMED_PRINTER, v1ReceiptPrinter: RECEIPT_PRINTER } as const;

export interface ReceiptRecord {
  readonly receipt: Receipt;
  readonly stored: StoredReceipt;
  readonly v1Copy: string;
}

export function toReceiptRecord(receipt: Receipt, currency: string): ReceiptRecord {
  return { receipt, stored: storeReceipt(receipt), v1Copy: printReceipt(receipt, currency) };
}
