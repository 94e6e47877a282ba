/** Looks whether a merchant has any record, over the tables of all resources. */
import type { Sql } from '../database/database.js';

/** Decision 0042: a merchant with records lives forward only. */
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
