/** SQL statements on what is stored about a buyer. */
import { requireFound } from '../../base/errors.js';
import type { Sql, Tx } from '../../database/database.js';
import { fn } from '../../database/functions.js';

/** The orders have the fields of the API. */
export interface FoundRecords {
  readonly orders: readonly { readonly id: string; readonly state: string }[];
  readonly paymentIds: readonly string[];
  readonly refundIds: readonly string[];
}

export async function findBuyerRecords(sql: Sql, merchantId: string, email: string): Promise<FoundRecords> {
  const [row] = await sql<{ records: FoundRecords }[]>`
    select ${fn(sql, 'export_buyer')}(${merchantId}, ${email}) as records`;
  return requireFound(row, 'the records of a buyer').records;
}

/** How many records had personal data of the buyer. */
export interface Erased {
  readonly orders: number;
  readonly payments: number;
  /** Whether a snapshot of the merchant was deleted. */
  readonly snapshot: boolean;
}

/** Erases nothing if orders of the buyer are unfinished, and returns their ids. */
export async function updateErased(
  tx: Tx,
  merchantId: string,
  email: string,
): Promise<Erased | { readonly unfinished: readonly string[] }> {
  const [row] = await tx<{ erased: Erased | { readonly unfinished: readonly string[] } }[]>`
    select ${fn(tx, 'erase_buyer')}(${merchantId}, ${email}) as erased`;
  return requireFound(row, 'the result of an erasure').erased;
}
