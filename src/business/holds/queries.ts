/** Every SQL statement on holds. */
import type { Instant } from '../../base/time.js';
import type { Sql, Tx } from '../../database/database.js';
import type { PaymentMovement } from '../movements/model.js';
import { insertMovements } from '../movements/queries.js';
import type { Hold } from './model.js';

/** Named as the model names them, so that a row is a hold as it comes. */
const columns = (sql: Sql) => sql`hold_id as id, payment_id, amount, placed_at, released_at`;

export async function findActiveHold(sql: Sql, merchantId: string, paymentId: string): Promise<Hold | undefined> {
  const [row] = await sql<Hold[]>`
    select ${columns(sql)}
    from holds
    where merchant_id = ${merchantId} and payment_id = ${paymentId} and released_at is null`;
  return row;
}

/** Of a payment that is locked, with the movement that keeps the money back. */
export async function insertHold(tx: Tx, merchantId: string, hold: Hold, movement: PaymentMovement): Promise<void> {
  await tx`
    with hold as (
      insert into holds (merchant_id, hold_id, payment_id, amount, placed_at)
      values (${merchantId}, ${hold.id}, ${hold.paymentId}, ${hold.amount}, ${hold.placedAt})
      returning hold_id
    )
    ${insertMovements(tx, [{ merchantId, movement }], { cte: 'hold' })}`;
}

/** In force -> released, with the movement that gives the money back; undefined where it is released already. */
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
