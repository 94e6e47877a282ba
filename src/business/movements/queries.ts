/** Every SQL statement on movements. */
import type { Amount } from '../../base/money.js';
import { type Fragment, type Sql, toTimestamp } from '../../database/database.js';
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

/**
 * The insert, to be composed into the statement that causes it. `from` names the CTE whose rows (merchant_id, payment_id)
 * must be there for a payment's movement to be written.
 */
export function insertMovements(
  sql: Sql,
  movements: readonly { readonly merchantId: string; readonly movement: Movement }[],
  from: string,
): Fragment {
  const rows = movements.map(({ merchantId, movement }) => ({
    merchant_id: merchantId,
    movement_id: movement.id,
    location_id: movement.locationId,
    payment_id: movement.paymentId,
    refund_id: movement.refundId,
    kind: movement.kind,
    currency: movement.currency,
    amount: movement.amount,
    fee: movement.fee,
    occurred_at: toTimestamp(movement.occurredAt),
  }));
  return sql`
    insert into movements (
      merchant_id, movement_id, location_id, payment_id, refund_id, kind, currency, amount, fee, occurred_at
    )
    select
      merchant_id, movement_id, location_id, payment_id, refund_id, kind, currency, amount, fee, occurred_at
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as movement (
      merchant_id text, movement_id text, location_id text, payment_id text, refund_id text, kind text, currency text,
      amount bigint, fee bigint, occurred_at timestamptz
    )
    join (select distinct merchant_id, payment_id from ${sql(from)}) as cause using (merchant_id, payment_id)`;
}
