/** SQL statements on holds. */
import type { Instant } from '../../base/time.js';
import type { Sql, Tx } from '../../database/database.js';
import type { PaymentMovement } from '../movements/model.js';
import { insertMovements } from '../movements/queries.js';
import type { Hold } from './model.js';

/** Columns with the names of the model, so that a row is a `Hold`. */
const columns = (sql: Sql) => sql`hold_id as id, payment_id, amount, placed_at, released_at`;

export async function findActiveHold(sql: Sql, merchantId: string, paymentId: string): Promise<Hold | undefined> {
  const [row] = await sql<Hold[]>`
    select ${columns(sql)}
    from holds
    where merchant_id = ${merchantId} and payment_id = ${paymentId} and released_at is null`;
  return row;
}

/** Inserts a hold of a locked payment, with the movement that keeps the money back. */
export async function insertHold(tx: Tx, merchantId: string, hold: Hold, movement: PaymentMovement): Promise<void> {
  await tx`
    with hold as (
      insert into holds (merchant_id, hold_id, payment_id, amount, placed_at)
      values (${merchantId}, ${hold.id}, ${hold.paymentId}, ${hold.amount}, ${hold.placedAt})
      returning hold_id
    )
    ${insertMovements(tx, [{ merchantId, movement }], { cte: 'hold' })}`;
}

/** Active -> released, with the movement that returns the money. Returns undefined if the hold is already released. */
export async function moveHoldToReleased(
  tx: Tx,
  merchantId: string,
  { holdId, at, movement }: { readonly holdId: string; readonly at: Instant; readonly movement: PaymentMovement },
): Promise<Hold | undefined> {
  const [row] = await tx<Hold[]>`
    with moved as (
      update holds
      set released_at = ${at}
      where merchant_id = ${merchantId} and hold_id = ${holdId} and released_at is null
      returning ${columns(tx)}
    ),
    movement as (${insertMovements(tx, [{ merchantId, movement }], { cte: 'moved' })})
    select id, payment_id, amount, placed_at, released_at
    from moved`;
  return row;
}
