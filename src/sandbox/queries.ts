/** What the sandbox asks of all resources at once. */
import type { Sql } from '../database/database.js';

/** Decision 0042: a merchant with records lives forward only. */
export async function hasRecords(sql: Sql, merchantId: string): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`
    select
      exists (select from employees where merchant_id = ${merchantId})
      or exists (select from roles where merchant_id = ${merchantId}) as found`;
  return row?.found ?? false;
}
