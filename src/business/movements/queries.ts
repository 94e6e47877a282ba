/** Every SQL statement on movements. */
import type { Amount } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { Fragment, Sql } from '../../database/database.js';
import type { Movement } from './model.js';

/** A movement of a payment. */
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

/** The insert of one, to be composed into the statement that causes it. `from` names the CTE whose rows must be there for the movement to be written. */
export function insertMovement(sql: Sql, merchantId: string, movement: Movement, from: string): Fragment {
  const { paymentId, refundId } = 'paymentId' in movement ? movement : { paymentId: null, refundId: null };
  const reason = 'reason' in movement ? movement.reason : null;
  return sql`
    insert into movements (
      merchant_id, movement_id, location_id, payment_id, refund_id, kind, currency, amount, fee, occurred_at, reason
    )
    select
      ${merchantId}, ${movement.id}, ${movement.locationId}, ${paymentId}::text, ${refundId}::text,
      ${movement.kind}, ${movement.currency}, ${movement.amount}::bigint, ${movement.fee}::bigint,
      ${movement.occurredAt}::timestamptz, ${reason}::text
    from ${sql(from)}`;
}

/** Those of a location that are in no settlement. */
export interface Waiting {
  readonly merchantId: string;
  readonly locationId: string;
  /** They happened before this. */
  readonly before: Instant;
}

/** What they come to; part of a statement. */
export function findWaitingTotal(sql: Sql, { merchantId, locationId, before }: Waiting): Fragment {
  return sql`
    select coalesce(sum(amount + fee), 0)::bigint as total
    from movements
    where merchant_id = ${merchantId} and location_id = ${locationId}
      and settlement_id is null and occurred_at < ${before}`;
}

/** Marks them with the settlement that the CTE `settlement` has made, if it has; part of the same statement. */
export function updateToSettled(sql: Sql, { merchantId, locationId, before }: Waiting): Fragment {
  return sql`
    update movements
    set settlement_id = settlement.made_id
    from settlement
    where merchant_id = ${merchantId} and location_id = ${locationId}
      and settlement_id is null and occurred_at < ${before}`;
}

/** When the first of those happened that come after; part of a statement. */
export function findNextWaiting(sql: Sql, { merchantId, locationId, before }: Waiting): Fragment {
  return sql`
    select min(occurred_at)
    from movements
    where merchant_id = ${merchantId} and location_id = ${locationId}
      and settlement_id is null and occurred_at >= ${before}`;
}
