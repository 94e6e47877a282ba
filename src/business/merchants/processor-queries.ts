/** SQL for the processor that a merchant has chosen. */
import type { Sql, Tx } from '../../database/database.js';

export interface ChosenProcessor {
  /** Null: that of the server. */
  readonly processorId: string | null;
}

/** Undefined: there is no such merchant. */
export async function findChosenProcessor(sql: Sql, merchantId: string): Promise<ChosenProcessor | undefined> {
  const [row] = await sql<ChosenProcessor[]>`
    select processor_id
    from merchants
    where merchant_id = ${merchantId}`;
  return row;
}

export async function lockChosenProcessor(tx: Tx, merchantId: string): Promise<ChosenProcessor | undefined> {
  const [row] = await tx<ChosenProcessor[]>`
    select processor_id
    from merchants
    where merchant_id = ${merchantId}
    for update`;
  return row;
}

export async function updateChosenProcessor(tx: Tx, merchantId: string, processorId: string | null): Promise<void> {
  await tx`
    update merchants
    set processor_id = ${processorId}
    where merchant_id = ${merchantId}`;
}
