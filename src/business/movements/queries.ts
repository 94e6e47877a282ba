/** Every SQL statement on movements. */
import type { Amount } from '../../base/money.js';
import type { Fragment, Sql } from '../../database/database.js';
import type { Movement } from './model.js';

export async function findMovement(
  sql: Sql,
  merchantId: string,
  movementId: string,
): Promise<{ paymentId: string; amount: Amount } | undefined> {
  const [row] = await sql<{ paymentId: string; amount: Amount }[]>`
    select payment_id, amount
    from movements
    where merchant_id = ${merchantId} and movement_id = ${movementId}`;
  return row;
}

/** The insert of one, to be composed into the statement that causes it. `from` names the CTE whose rows must be there for the movement to be written. */
export function insertMovement(sql: Sql, merchantId: string, movement: Movement, from: string): Fragment {
  return sql`
    insert into movements (
      merchant_id, movement_id, location_id, payment_id, refund_id, kind, currency, amount, fee, occurred_at
    )
    select
      ${merchantId}, ${movement.id}, ${movement.locationId}, ${movement.paymentId}, ${movement.refundId}::text,
      ${movement.kind}, ${movement.currency}, ${movement.amount}::bigint, ${movement.fee}::bigint,
      ${movement.occurredAt}::timestamptz
    from ${sql(from)}`;
}
