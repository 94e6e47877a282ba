/** SQL statements on the ids that Stripe gives to our payments. */
import type { Sql, Tx } from '../../database/database.js';

export async function findReference(sql: Sql, merchantId: string, paymentId: string): Promise<string | undefined> {
  const [row] = await sql<{ reference: string }[]>`
    select reference
    from processor_references
    where merchant_id = ${merchantId} and payment_id = ${paymentId}`;
  return row?.reference;
}

/** Does nothing if another worker was faster. */
export async function insertReference(tx: Tx, merchantId: string, paymentId: string, reference: string): Promise<void> {
  await tx`
    insert into processor_references (merchant_id, payment_id, reference)
    values (${merchantId}, ${paymentId}, ${reference})
    on conflict (merchant_id, payment_id) do nothing`;
}
