/** SQL for timecards and their events. */
import { isUuid } from '../../base/ids.js';
import type { Change, Versioned } from '../../database/change.js';
import type { Bulk } from '../../database/copy.js';
import type { Sql } from '../../database/database.js';
import {
  type Page,
  type PageRequest,
  pageClause,
  type SortOrder,
  type TimeRange,
  toPage,
  within,
} from '../../database/keyset.js';
import type { Timecard, TimecardEvent } from './model.js';
import { timecardEvents, timecards } from './table.js';

/** A timecard with the version that an editor sends back (decision 0148). */
export type VersionedTimecard = Timecard & Versioned;

export async function findTimecard(
  sql: Sql,
  merchantId: string,
  timecardId: string,
): Promise<VersionedTimecard | undefined> {
  if (!isUuid(timecardId)) return undefined;
  const [row] = await sql<VersionedTimecard[]>`
    select ${timecards.select(sql)}, xmin::text as version
    from timecards
    where merchant_id = ${merchantId} and timecard_id = ${timecardId}`;
  return row;
}

/** Finds a card to change. The change depends on it. */
export async function readTimecard(change: Change, id: string): Promise<VersionedTimecard | undefined> {
  return isUuid(id) ? change.read(timecards, { id }) : undefined;
}

/** Finds the card on which an employee is clocked in. The change depends on it. */
export async function readOpenTimecard(change: Change, employeeId: string): Promise<VersionedTimecard | undefined> {
  const { sql, merchantId } = change;
  const [card] = await sql<VersionedTimecard[]>`
    select ${timecards.select(sql)}, xmin::text as version
    from timecards
    where merchant_id = ${merchantId} and employee_id = ${employeeId} and clockout_at is null and not deleted`;
  if (card) change.dependOn(timecards, card);
  return card;
}

export interface TimecardFilter {
  readonly merchantId: string;
  readonly employeeId?: string | undefined;
  /** Where the employee clocked in. A card without a location belongs to the main location. */
  readonly location?: { readonly locationId: string; readonly mainLocationId: string } | undefined;
  readonly clockin?: TimeRange;
  readonly clockout?: TimeRange;
  readonly updated?: TimeRange;
  readonly deleted?: boolean | undefined;
  readonly order: SortOrder;
  readonly page: PageRequest;
}

export async function listTimecards(sql: Sql, filter: TimecardFilter): Promise<Page<VersionedTimecard>> {
  const { merchantId, employeeId, location, clockin = {}, clockout = {}, updated = {}, deleted, order, page } = filter;
  if (employeeId !== undefined && !isUuid(employeeId)) return { items: [], next: undefined };
  const rows = await sql<VersionedTimecard[]>`
    select ${timecards.select(sql)}, xmin::text as version
    from timecards
    where merchant_id = ${merchantId}
    ${location ? sql`and coalesce(clockin_location_id, ${location.mainLocationId}) = ${location.locationId}` : sql``}
    ${employeeId === undefined ? sql`` : sql`and employee_id = ${employeeId}`}
    ${deleted === undefined ? sql`` : deleted ? sql`and deleted` : sql`and not deleted`}
    ${within(sql, 'clockin_at', clockin, order)}
    ${within(sql, 'clockout_at', clockout, order)}
    ${within(sql, 'updated_at', updated, order)}
    ${within(sql, 'created_at', { end: updated.end }, order) /* updated_at >= created_at, so this ends the scan */}
    ${pageClause(sql, { at: 'created_at', id: 'timecard_id' }, page, order)}`;
  return toPage(rows, page.limit, (card) => ({ at: card.createdAt, id: card.id }));
}

/**
 * Events of a card, oldest first, undefined if the card does not exist. A deletion is always last: its id can be older
 * than the id of a change in the same second that it had to wait for.
 */
export async function listTimecardEvents(
  sql: Sql,
  merchantId: string,
  timecardId: string,
): Promise<TimecardEvent[] | undefined> {
  if (!isUuid(timecardId)) return undefined;
  const rows = await sql<TimecardEvent[]>`
    select ${timecardEvents.select(sql)}
    from timecard_events
    where merchant_id = ${merchantId} and timecard_id = ${timecardId}
    order by created_at, kind in ('API_DELETE', 'DASHBOARD_DELETE'), event_id`;
  // A card is created together with its first event, so no event means no card.
  return rows.length === 0 ? undefined : rows;
}

/** Copies cards of a generated history, in their final state, with their events. */
export function insertPastTimecards(
  past: Bulk,
  merchantId: string,
  cards: readonly { readonly card: Timecard; readonly events: readonly TimecardEvent[] }[],
): void {
  timecards.copy(
    past,
    merchantId,
    cards.map(({ card }) => card),
  );
  timecardEvents.copy(
    past,
    merchantId,
    cards.flatMap(({ events }) => events),
  );
}
