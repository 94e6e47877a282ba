/** SQL for the balance of a business: movements that are in no settlement, and settlements that are not shown yet. */
import type { Amount } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { Sql } from '../../database/database.js';

/** What is unsettled at a location, by kind. Fees are those of charges; the others are net of the fees that were returned. */
export interface LocationBalance {
  readonly locationId: string;
  readonly charges: Amount;
  readonly fees: Amount;
  readonly refunds: Amount;
  readonly disputes: Amount;
  readonly other: Amount;
  readonly entries: number;
  /** Null if there is none before the year 10000. */
  readonly nextCloseAt: Instant | null;
}

/** In the order of the locations. One statement, so that a close is either before or after it. */
export async function listBalances(sql: Sql, merchantId: string): Promise<LocationBalance[]> {
  return sql<LocationBalance[]>`
    select
      locations.location_id,
      coalesce(sum(amount) filter (where movements.kind = 'CHARGE'), 0)::bigint as charges,
      coalesce(sum(fee) filter (where movements.kind = 'CHARGE'), 0)::bigint as fees,
      coalesce(sum(amount + fee) filter (where movements.kind in ('REFUND', 'REVERSAL')), 0)::bigint as refunds,
      coalesce(sum(amount + fee) filter (where movements.kind in ('HOLD', 'HOLD_RELEASE')), 0)::bigint as disputes,
      coalesce(sum(amount + fee) filter (where movements.kind in ('ADJUSTMENT', 'RETURNED_PAYOUT')), 0)::bigint as other,
      count(movement_id)::int as entries,
      min(due_at) as next_close_at
    from locations
    left join due_work
      on due_work.merchant_id = ${merchantId} and due_work.kind = 'CLOSE_DAY' and subject_id = locations.location_id
    left join movements
      on movements.merchant_id = ${merchantId} and movements.location_id = locations.location_id and settlement_id is null
    where locations.merchant_id = ${merchantId}
    group by locations.location_id, locations.ordinal
    order by locations.ordinal`;
}

export interface SettlementOnItsWay {
  readonly locationId: string;
  readonly total: Amount;
  readonly initiatedAt: Instant;
  readonly visibleAt: Instant;
}

/** A settlement is hidden for less than two days, so the index on the time of the close finds them. */
export async function listSettlementsOnTheirWay(
  sql: Sql,
  merchantId: string,
  { now, since }: { readonly now: Instant; readonly since: Instant },
): Promise<SettlementOnItsWay[]> {
  return sql<SettlementOnItsWay[]>`
    select location_id, total, initiated_at, visible_at
    from settlements
    where merchant_id = ${merchantId} and visible_at > ${now} and initiated_at > ${since}
    order by initiated_at, settlement_id`;
}
