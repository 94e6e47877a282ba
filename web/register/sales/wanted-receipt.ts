/** A receipt that was scanned: its address leads to the sale. */
import { createStore } from '../../client/store.js';

/** What the screen of sales looks for. */
export const wantedReceipt = createStore<string | undefined>(undefined);

/** Whether a scanned code is the address of a receipt. If it is, that sale is looked for. */
export function findReceipt(code: string): boolean {
  if (!/\/receipts\/[\w-]+/.test(code)) return false;
  wantedReceipt.set(code);
  return true;
}
