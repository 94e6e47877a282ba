/** The v2 JSON of a payment as a column: its copy, or printed anew. */
import type { Fragment, Sql } from '../../database/database.js';
import { fn } from '../../database/functions.js';

/** Null if the copy is of another version. */
export function copyOfPayment(sql: Sql): Fragment {
  return sql`case when v2_json_version = ${fn(sql, 'payment_copy_version')}() then v2_json end`;
}

export function printPayment(sql: Sql): Fragment {
  return sql`${fn(sql, 'print_payment')}(row(payments.*)::payments)`;
}
