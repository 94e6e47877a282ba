/** A receipt that was scanned: its address leads to the sale. */
import { createStore } from '../../client/store.js';

/** What the screen of sales looks for. */
export const wantedReceipt = createStore<string | undefined>(undefined);

/** Whether a scanned code is the address of a receipt. */
export function isReceipt(code: string): boolean {
  return /\/receipts\/[\w-]+/.test(code);
}
