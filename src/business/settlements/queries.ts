/** SQL for settlements and adjustments. */
import type { Amount } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { Bulk } from '../../database/copy.js';
import { type Sql, type Tx, toTimestamp } from '../../database/database.js';
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
import { findNextOtherWork } from '../due-work/queries.js';
import { findMerchantNow } from '../merchants/queries.js';
import type { Adjustment, ReturnedPayout } from '../movements/model.js';
import { findNextUnsettled, findUnsettledTotal, insertMovements, updateToSettled } from '../movements/queries.js';
import type { AdjustmentAuthor, Settlement, SettlementEntry, SettlementStatus } from './model.js';

/** The column aliases match the model, so a row is a `Settlement` without conversion. */
const columns = (sql: Sql) => sql`
  settlement_id as id, location_id, bank_account_id, status, currency, total, initiated_at`;

export async function findSettlement(
  sql: Sql,
  merchantId: string,
  settlementId: string,
): Promise<Settlement | undefined> {
  const [row] = await sql<Settlement[]>`
    select ${columns(sql)}
    from settlements
    where merchant_id = ${merchantId} and settlement_id = ${settlementId}`;
  return row;
}

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
      ${columns(sql)},
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

export interface SettlementFilter extends VisibleScope {
  readonly status: SettlementStatus | undefined;
  readonly initiated: TimeRange;
  readonly order: SortOrder;
  readonly page: PageRequest;
}

export async function listSettlements(sql: Sql, filter: SettlementFilter): Promise<Page<Settlement>> {
  const { merchantId, locationId, now, status, initiated, order, page } = filter;
  const rows = await sql<Settlement[]>`
    select ${columns(sql)}
    from settlements
    where merchant_id = ${merchantId} and visible_at <= ${now}
    ${locationId === undefined ? sql`` : sql`and location_id = ${locationId}`}
    ${status === undefined ? sql`` : sql`and status = ${status}`}
    ${within(sql, 'initiated_at', initiated, order)}
    ${pageClause(sql, { at: 'initiated_at', id: 'settlement_id' }, page, order)}`;
  return toPage(rows, page.limit, (settlement) => ({ at: settlement.initiatedAt, id: settlement.id }));
}

export interface DayClose {
  readonly merchantId: string;
  readonly locationId: string;
  readonly closedAt: Instant;
  /** The id of the new settlement, if one is created. */
  readonly settlementId: string;
  readonly visibleAt: Instant;
  /** The real time, from which the time on the merchant's clock is computed. */
  readonly real: Instant;
}

export interface ClosedDay {
  /** Null if no settlement was created. */
  readonly total: Amount | null;
  readonly timezone: string;
  /** Nothing that a close would settle can happen before this time. */
  readonly quietUntil: Instant;
}

/**
 * Closes the day of a location: its unsettled movements become one settlement to the active bank account. Without an
 * active account, or with a total of zero, they stay unsettled. One statement for any number of movements. The caller
 * has locked the due work of the location, so no other transaction settles them meanwhile.
 */
export async function insertSettlement(
  tx: Tx,
  { merchantId, locationId, closedAt, settlementId, visibleAt, real }: DayClose,
): Promise<ClosedDay | undefined> {
  const waiting = { merchantId, locationId, before: closedAt };
  const [row] = await tx<ClosedDay[]>`
    with waiting as (${findUnsettledTotal(tx, waiting)}),
    settlement as (
      insert into settlements (
        merchant_id, settlement_id, location_id, bank_account_id, status, currency, total, initiated_at, visible_at
      )
      select
        ${merchantId}, ${settlementId}, ${locationId}, bank_account_id, 'SENT', currency, waiting.total,
        ${closedAt}::timestamptz, ${visibleAt}::timestamptz
      from bank_accounts, waiting
      where merchant_id = ${merchantId} and in_force and waiting.total <> 0
      returning settlement_id as made_id, total
    ),
    entries as (${updateToSettled(tx, waiting)})
    select
      timezone,
      (select total from settlement) as total,
      least(
        (${findMerchantNow(tx, merchantId, real)}),
        (${findNextOtherWork(tx, merchantId, 'CLOSE_DAY')}),
        (${findNextUnsettled(tx, waiting)})
      ) as quiet_until
    from locations
    where merchant_id = ${merchantId} and location_id = ${locationId}`;
  return row;
}

/** A settlement of a generated history, in its final state. */
export interface PastSettlement {
  readonly settlement: Settlement;
  readonly visibleAt: Instant;
  /** For a failed settlement, the movement that returned its money. */
  readonly returned: ReturnedPayout | undefined;
}

export function insertPastSettlements(past: Bulk, merchantId: string, settlements: readonly PastSettlement[]): void {
  past.copy(
    'settlements',
    (tx) => tx`
      copy settlements (
        merchant_id, settlement_id, location_id, bank_account_id, status, currency, total, initiated_at, visible_at,
        failed_at, returned_movement_id
      )
      from stdin`,
    settlements,
    ({ settlement, visibleAt, returned }) => [
      merchantId,
      settlement.id,
      settlement.locationId,
      settlement.bankAccountId,
      settlement.status,
      settlement.currency,
      settlement.total,
      toTimestamp(settlement.initiatedAt),
      toTimestamp(visibleAt),
      returned ? toTimestamp(returned.occurredAt) : null,
      returned?.id ?? null,
    ],
  );
}

/** Moves a settlement from SENT to FAILED, with the movement that returns its money. Undefined if it is not SENT. */
export async function moveSettlementToFailed(
  tx: Tx,
  merchantId: string,
  settlementId: string,
  returned: ReturnedPayout,
): Promise<Settlement | undefined> {
  const [row] = await tx<Settlement[]>`
    with moved as (
      update settlements
      set status = 'FAILED', failed_at = ${returned.occurredAt}, returned_movement_id = ${returned.id}
      where merchant_id = ${merchantId} and settlement_id = ${settlementId} and status = 'SENT'
      returning ${columns(tx)}
    ),
    movement as (${insertMovements(tx, [{ merchantId, movement: returned }], { cte: 'moved' })})
    select id, location_id, bank_account_id, status, currency, total, initiated_at
    from moved`;
  return row;
}

/** The merchant, the author and the idempotency key of an adjustment. */
export interface AdjustmentSource {
  readonly merchantId: string;
  readonly madeBy: AdjustmentAuthor;
  readonly key: string;
}

/** Returns false if the key was used before, also by a concurrent request, or if the location does not exist. */
export async function insertAdjustment(
  tx: Tx,
  { merchantId, madeBy, key }: AdjustmentSource,
  adjustment: Adjustment,
): Promise<boolean> {
  const rows = await tx`
    with taken as (
      insert into adjustments (merchant_id, adjustment_id, made_by, idempotency_key)
      select merchant_id, ${adjustment.id}, ${madeBy}, ${key}
      from locations
      where merchant_id = ${merchantId} and location_id = ${adjustment.locationId}
      on conflict (merchant_id, made_by, idempotency_key) do nothing
      returning merchant_id
    )
    ${insertMovements(tx, [{ merchantId, movement: adjustment }], { cte: 'taken' })}
    returning 1`;
  return rows.length > 0;
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
