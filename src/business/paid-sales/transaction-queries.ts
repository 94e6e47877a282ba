/** Reads the tender fields that only v2 transactions show. */
import type { JsonText } from '../../base/json.js';
import type { Sql } from '../../database/database.js';
import type { VisibleStatus } from '../payments/model.js';

export interface TenderDetails {
  readonly id: string;
  readonly status: VisibleStatus;
  /** With the field names of v2. */
  readonly cardDetails: JsonText<object> | null;
  readonly details: JsonText<object>;
}

/** A map by tender id. One statement reads all tenders of a page. */
export async function listTenderDetails(
  sql: Sql,
  merchantId: string,
  paymentIds: readonly string[],
): Promise<ReadonlyMap<string, TenderDetails>> {
  if (paymentIds.length === 0) return new Map();
  const rows = await sql<TenderDetails[]>`
    select payment_id as id, status, card_details::text, details::text
    from payments
    where merchant_id = ${merchantId} and payment_id = any (${paymentIds as string[]}::text[])`;
  return new Map(rows.map((row) => [row.id, row]));
}
