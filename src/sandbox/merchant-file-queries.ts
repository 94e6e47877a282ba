/** SQL of merchants that are written to a file, and created from one (decision 0276). */
import type { Sql, Tx } from '../database/database.js';
import { fn } from '../database/functions.js';

export type Row = Readonly<Record<string, unknown>>;

/** The rows of the merchant in each table, in the order of the tables. The first one has the merchant. */
export async function listRecords(
  sql: Sql,
  merchantId: string,
  tables: readonly string[],
): Promise<readonly (readonly Row[])[]> {
  const [found] = await sql<{ records: Row[][] }[]>`
    select ${fn(sql, 'list_records')}(${merchantId}, ${tables as string[]}::text[]) as records`;
  return found?.records ?? [];
}

/** Replaces the rows of a new merchant, and the values in its own row. */
export async function insertRecords(
  tx: Tx,
  merchantId: string,
  {
    merchant,
    tables,
    records,
  }: { readonly merchant: Row; readonly tables: readonly string[]; readonly records: readonly (readonly Row[])[] },
): Promise<void> {
  await tx`
    select ${fn(tx, 'replace_records')}(
      ${merchantId}, ${JSON.stringify(merchant)}::text::json, ${tables as string[]}::text[], ${JSON.stringify(records)}::text::json
    )`;
}
