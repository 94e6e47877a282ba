/** SQL for settlements and adjustments. */
import type { Instant } from '../../base/time.js';
import type { Change, StepResult } from '../../database/change.js';
import type { Bulk } from '../../database/copy.js';
import { type Sql, toTimestamp } from '../../database/database.js';
import {
  type Page,
  type PageRequest,
  pageClause,
  type SortOrder,
  type TimeRange,
  toPage,
  within,
} from '../../database/keyset.js';
import { andLocationIs } from '../../database/location-filter.js';
import type { Adjustment } from '../movements/model.js';
import type { AdjustmentAuthor, CloseFacts, Settlement, SettlementEntry, SettlementStatus } from './model.js';
import { settlements } from './table.js';

interface VisibleScope {
  readonly merchantId: string;
  /** If undefined, settlements of all locations. */
  readonly locationId: string | undefined;
  /** By the merchant's clock. Settlements that become visible later are not found. */
  readonly now: Instant;
}

/** A visible settlement with its entries, oldest first. */
export async function findSettlementWithEntries(
  sql: Sql,
  { merchantId, locationId, now }: VisibleScope,
  settlementId: string,
): Promise<{ settlement: Settlement; entries: readonly SettlementEntry[] } | undefined> {
  const [row] = await sql<(Settlement & { entries: SettlementEntry[] })[]>`
    select
      ${settlements.select(sql)},
      (
        select
          coalesce(json_agg(json_build_object(
            'kind', kind,
            'paymentId', payment_id,
            'amount', amount,
            'fee', fee
          ) order by occurred_at, movement_id), '[]')
        from movements
        where merchant_id = ${merchantId} and settlement_id = ${settlementId}
      ) as entries
    from settlements
    where merchant_id = ${merchantId} and settlement_id = ${settlementId} and visible_at <= ${now}
    ${andLocationIs(sql, locationId)}`;
  if (!row) return undefined;
  const { entries, ...settlement } = row;
  return { settlement, entries };
}

/** The visible settlement that contains the returned money of a failed one. */
export async function findReturnOf(
  sql: Sql,
  { merchantId, now }: VisibleScope,
  { returnedMovementId }: Settlement,
): Promise<string | undefined> {
  if (returnedMovementId === null) return undefined;
  const [row] = await sql<{ settlementId: string }[]>`
    select settlements.settlement_id
    from movements
    join settlements
      on settlements.merchant_id = ${merchantId} and settlements.settlement_id = movements.settlement_id
    where movements.merchant_id = ${merchantId} and movement_id = ${returnedMovementId} and visible_at <= ${now}`;
  return row?.settlementId;
}

export interface SettlementFilter extends VisibleScope {
  readonly status: SettlementStatus | undefined;
  readonly initiated: TimeRange;
  readonly order: SortOrder;
  readonly page: PageRequest;
}

export async function listSettlements(sql: Sql, filter: SettlementFilter): Promise<Page<Settlement>> {
  const { merchantId, locationId, now, status, initiated, order, page } = filter;
  const rows = await sql<Settlement[]>`
    select ${settlements.select(sql)}
    from settlements
    where merchant_id = ${merchantId} and visible_at <= ${now}
    ${locationId === undefined ? sql`` : sql`and location_id = ${locationId}`}
    ${status === undefined ? sql`` : sql`and status = ${status}`}
    ${within(sql, 'initiated_at', initiated, order)}
    ${pageClause(sql, { at: 'initiated_at', id: 'settlement_id' }, page, order)}`;
  return toPage(rows, page.limit, (settlement) => ({ at: settlement.initiatedAt, id: settlement.id }));
}

export interface DayClose {
  readonly locationId: string;
  readonly closedAt: Instant;
  /** The id of the new settlement, if one is created. */
  readonly settlementId: string;
  readonly visibleAt: Instant;
}

/**
 * Closes the day of a location: its unsettled movements become one settlement to the active bank account. Without an
 * active account, or with a total of zero, they stay unsettled. The result says whether there is a settlement.
 */
export function insertSettlement(
  change: Change,
  { locationId, closedAt, settlementId, visibleAt }: DayClose,
): StepResult<boolean> {
  const members = {
    location_id: locationId,
    closed_at: toTimestamp(closedAt),
    settlement_id: settlementId,
    visible_at: toTimestamp(visibleAt),
  };
  return change.call('close_day', members, (isCreated: boolean) => isCreated);
}

/** One statement, because work that is done meanwhile becomes a movement: it must be found as one of the two. */
export async function findCloseFacts(
  sql: Sql,
  merchantId: string,
  { locationId, closedAt }: Pick<DayClose, 'locationId' | 'closedAt'>,
): Promise<CloseFacts | undefined> {
  const [row] = await sql<(Omit<CloseFacts, 'clock'> & { offsetMs: number; frozenAt: Instant | null })[]>`
    select
      timezone,
      clock_offset_ms as offset_ms,
      clock_frozen_at as frozen_at,
      (
        select min(due_at)
        from due_work
        where merchant_id = ${merchantId} and kind not in ('CLOSE_DAY', 'ROLL_UP_DAYS')
      ) as next_work_at,
      (
        select min(occurred_at)
        from movements
        where merchant_id = ${merchantId} and location_id = ${locationId}
          and settlement_id is null and occurred_at >= ${closedAt}
      ) as next_movement_at
    from locations
    join merchants using (merchant_id)
    where merchant_id = ${merchantId} and location_id = ${locationId}`;
  if (!row) return undefined;
  const { offsetMs, frozenAt, ...facts } = row;
  return { ...facts, clock: { offsetMs, frozenAt } };
}

export function insertPastSettlements(past: Bulk, merchantId: string, given: readonly Settlement[]): void {
  settlements.copy(past, merchantId, given);
}

export async function hasLocation(sql: Sql, merchantId: string, locationId: string): Promise<boolean> {
  const rows = await sql<object[]>`
    select
    from locations
    where merchant_id = ${merchantId} and location_id = ${locationId}`;
  return rows.length > 0;
}

/** The merchant, the author and the idempotency key of an adjustment. */
export interface AdjustmentSource {
  readonly merchantId: string;
  readonly madeBy: AdjustmentAuthor;
  readonly key: string;
}

export async function findAdjustment(
  sql: Sql,
  { merchantId, madeBy, key }: AdjustmentSource,
): Promise<Adjustment | undefined> {
  const [row] = await sql<Omit<Adjustment, 'kind'>[]>`
    select movement_id as id, location_id, currency, amount, fee, occurred_at, reason
    from adjustments
    join movements on movements.merchant_id = adjustments.merchant_id and movement_id = adjustment_id
    where adjustments.merchant_id = ${merchantId} and made_by = ${madeBy} and idempotency_key = ${key}`;
  return row && { ...row, kind: 'ADJUSTMENT' };
}
