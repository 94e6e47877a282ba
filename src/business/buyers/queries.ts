/** SQL statements on what is stored about a buyer. */
import type { Sql, Tx } from '../../database/database.js';
import { fn } from '../../database/functions.js';

/** The documents have the fields of the API. */
export interface BuyerRecords {
  readonly orders: readonly { readonly id: string; readonly state: string }[];
  readonly payments: readonly { readonly id: string }[];
}

export async function findBuyerRecords(sql: Sql, merchantId: string, email: string): Promise<BuyerRecords> {
  const [row] = await sql<{ records: BuyerRecords }[]>`
    select ${fn(sql, 'export_buyer')}(${merchantId}, ${email}) as records`;
  return row?.records ?? { orders: [], payments: [] };
}

export interface ErasedCounts {
  readonly orders: number;
  readonly payments: number;
}

/** Returns how many records had personal data of the buyer. */
export async function updateErased(tx: Tx, merchantId: string, email: string): Promise<ErasedCounts> {
  const [row] = await tx<{ erased: ErasedCounts }[]>`
    select ${fn(tx, 'erase_buyer')}(${merchantId}, ${email}) as erased`;
  return row?.erased ?? { orders: 0, payments: 0 };
}
