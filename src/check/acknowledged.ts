/** What an operator has explained: breaches that the check no longer counts (decision 0248). */
import type { Sql } from '../database/database.js';
import type { Breach } from './law.js';

/** A function that says whether a breach was acknowledged with the values that it has now. */
export async function readAcknowledged(sql: Sql): Promise<(breach: Breach) => boolean> {
  const rows = await sql<Breach[]>`select merchant_id, law, subject, found from acknowledged_breaches`;
  const known = new Set(rows.map(keyOf));
  return (breach) => known.has(keyOf(breach));
}

function keyOf({ law, merchantId, subject, found }: Breach): string {
  return [law, merchantId, subject, found].join('\0');
}
