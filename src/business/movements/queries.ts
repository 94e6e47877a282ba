/** SQL for movements. */
import type { Amount } from '../../base/money.js';
import type { Columns } from '../../database/columns.js';
import type { Bulk } from '../../database/copy.js';
import type { Sql } from '../../database/database.js';
import type { Movement } from './model.js';
import { type MovementRow, movements } from './table.js';

/** For functions in the database that record movements themselves. */
export const MOVEMENT_COLUMNS: Columns<MovementRow> = movements;

/** Finds a movement that belongs to a payment. */
export async function findMovement(
  sql: Sql,
  merchantId: string,
  movementId: string,
): Promise<{ paymentId: string; amount: Amount; currency: string } | undefined> {
  const [row] = await sql<{ paymentId: string; amount: Amount; currency: string }[]>`
    select payment_id, amount, currency
    from movements
    where merchant_id = ${merchantId} and movement_id = ${movementId} and payment_id is not null`;
  return row;
}

/** A movement of a generated history, with its settlement, if it has one. */
export interface PastMovement {
  readonly movement: Movement;
  readonly settlementId: string | null;
}

export function insertPastMovements(past: Bulk, merchantId: string, given: readonly PastMovement[]): void {
  const rows = given.map(({ movement, settlementId }) => ({ settlementId, ...movement }));
  movements.copy(past, merchantId, rows);
}
