/** Checks whether a merchant has records in any table. */
import type { Sql } from '../database/database.js';

/** The clock of a merchant with records does not move back (decision 0042). */
export async function hasRecords(sql: Sql, merchantId: string): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`
    select
      exists (select from employees where merchant_id = ${merchantId})
      or exists (select from roles where merchant_id = ${merchantId})
      or exists (select from cash_drawer_shifts where merchant_id = ${merchantId})
      or exists (select from orders where merchant_id = ${merchantId})
      or exists (select from payments where merchant_id = ${merchantId})
      or exists (select from movements where merchant_id = ${merchantId})
      or exists (select from bank_accounts where merchant_id = ${merchantId}) as found`;
  return row?.found ?? false;
}
