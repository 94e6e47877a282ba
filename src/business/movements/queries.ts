/** SQL for movements. */
import type { Amount } from '../../base/money.js';
import { Columns } from '../../database/columns.js';
import type { Bulk } from '../../database/copy.js';
import type { Sql } from '../../database/database.js';
import type { Adjustment, Movement, PaymentMovement } from './model.js';

/** A movement of any kind, with its settlement. */
type MovementRow = Omit<PaymentMovement, 'kind'> &
  Pick<Adjustment, 'reason'> & { readonly kind: Movement['kind']; readonly settlementId: string | null };

export const MOVEMENT_COLUMNS = new Columns<MovementRow>({
  id: { column: 'movement_id', as: 'value' },
  locationId: 'value',
  paymentId: 'value',
  refundId: 'value',
  kind: 'value',
  currency: 'value',
  amount: 'value',
  fee: 'value',
  occurredAt: 'time',
  reason: 'value',
  settlementId: 'value',
});

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

export function insertPastMovements(past: Bulk, merchantId: string, movements: readonly PastMovement[]): void {
  past.copy(
    'movements',
    (tx) => tx`copy movements (merchant_id, ${MOVEMENT_COLUMNS.names(tx)}) from stdin`,
    movements,
    ({ movement, settlementId }) => [merchantId, ...MOVEMENT_COLUMNS.toCells({ settlementId, ...movement })],
  );
}
