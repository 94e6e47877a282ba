/** SQL for movements. */
import type { Amount } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import { Columns } from '../../database/columns.js';
import type { Bulk } from '../../database/copy.js';
import { type Fragment, type Sql, toTimestamp } from '../../database/database.js';
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
): Promise<{ paymentId: string; amount: Amount } | undefined> {
  const [row] = await sql<{ paymentId: string; amount: Amount }[]>`
    select payment_id, amount
    from movements
    where merchant_id = ${merchantId} and movement_id = ${movementId} and payment_id is not null`;
  return row;
}

/**
 * The insert of movements, as a part of the statement that causes them. Movements are inserted only if the CTE
 * `cause.cte` has rows; with `each`, only those whose payment is among its rows.
 */
export function insertMovements(
  sql: Sql,
  movements: readonly { readonly merchantId: string; readonly movement: Movement }[],
  cause: { readonly cte: string; readonly each?: boolean },
): Fragment {
  const rows = movements.map(({ merchantId, movement }) => ({
    merchant_id: merchantId,
    movement_id: movement.id,
    location_id: movement.locationId,
    payment_id: 'paymentId' in movement ? movement.paymentId : null,
    refund_id: 'refundId' in movement ? movement.refundId : null,
    kind: movement.kind,
    currency: movement.currency,
    amount: movement.amount,
    fee: movement.fee,
    occurred_at: toTimestamp(movement.occurredAt),
    reason: 'reason' in movement ? movement.reason : null,
  }));
  const condition = cause.each
    ? sql`join ${sql(cause.cte)} using (merchant_id, payment_id)`
    : sql`where exists (select from ${sql(cause.cte)})`;
  return sql`
    insert into movements (
      merchant_id, movement_id, location_id, payment_id, refund_id, kind, currency, amount, fee, occurred_at, reason
    )
    select
      merchant_id, movement_id, location_id, payment_id, refund_id, kind, currency, amount, fee, occurred_at, reason
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as movement (
      merchant_id text, movement_id text, location_id text, payment_id text, refund_id text, kind text, currency text,
      amount bigint, fee bigint, occurred_at timestamptz, reason text
    )
    ${condition}`;
}

/** Selects the movements of a location that have no settlement. */
export interface UnsettledFilter {
  readonly merchantId: string;
  readonly locationId: string;
  /** Selects only movements that occurred before this time. */
  readonly before: Instant;
}

/** The sum of the unsettled movements, as a part of a statement. */
export function findUnsettledTotal(sql: Sql, { merchantId, locationId, before }: UnsettledFilter): Fragment {
  return sql`
    select coalesce(sum(amount + fee), 0)::bigint as total
    from movements
    where merchant_id = ${merchantId} and location_id = ${locationId}
      and settlement_id is null and occurred_at < ${before}`;
}

/** Assigns the movements to the settlement that the CTE `settlement` created, if any, in the same statement. */
export function updateToSettled(sql: Sql, { merchantId, locationId, before }: UnsettledFilter): Fragment {
  return sql`
    update movements
    set settlement_id = settlement.made_id
    from settlement
    where merchant_id = ${merchantId} and location_id = ${locationId}
      and settlement_id is null and occurred_at < ${before}`;
}

/** The time of the first unsettled movement that is not before `before`, as a part of a statement. */
export function findNextUnsettled(sql: Sql, { merchantId, locationId, before }: UnsettledFilter): Fragment {
  return sql`
    select min(occurred_at)
    from movements
    where merchant_id = ${merchantId} and location_id = ${locationId}
      and settlement_id is null and occurred_at >= ${before}`;
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
    ({ movement, settlementId }) => [merchantId, ...MOVEMENT_COLUMNS.toCells({ ...movement, settlementId })],
  );
}
