/** SQL for cash drawer shifts and their events. */
import { isUuid } from '../../base/ids.js';
import type { Instant } from '../../base/time.js';
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
import { andLocationIs } from '../../database/location-filter.js';
import type { Shift, ShiftEvent, ShiftState } from './model.js';
import { type RecordedEvent, type ShiftRow, shiftEvents, shifts, toEventRow, toShift, toShiftRow } from './table.js';

const SORT = { at: 'opened_at', id: 'shift_id' };

interface ShiftKey {
  readonly merchantId: string;
  readonly shiftId: string;
  /** If given, a shift of another location is not found (decision 0022). */
  readonly locationId?: string | undefined;
}

export async function findShift(sql: Sql, { merchantId, shiftId, locationId }: ShiftKey): Promise<Shift | undefined> {
  if (!isUuid(shiftId)) return undefined;
  const [row] = await sql<ShiftRow[]>`
    select ${shifts.select(sql)}
    from cash_drawer_shifts
    where merchant_id = ${merchantId} and shift_id = ${shiftId}
    ${andLocationIs(sql, locationId)}`;
  return row && toShift(row);
}

export async function findOpenShift(sql: Sql, merchantId: string, deviceId: string): Promise<Shift | undefined> {
  const [row] = await sql<ShiftRow[]>`
    select ${shifts.select(sql)}
    from cash_drawer_shifts
    where merchant_id = ${merchantId} and device_id = ${deviceId} and state = 'OPEN'`;
  return row && toShift(row);
}

/** Finds a shift whose state changes, or which gets an event. The change depends on it. */
export async function readShift(change: Change, id: string): Promise<(Shift & Versioned) | undefined> {
  const row = isUuid(id) ? await change.read(shifts, { id }) : undefined;
  return row && toShift(row);
}

/** The time of the last event of a shift that the change depends on. */
export async function findLastEventTime({ sql, merchantId }: Change, shiftId: string): Promise<Instant | undefined> {
  const [row] = await sql<{ createdAt: Instant }[]>`
    select created_at
    from cash_drawer_events
    where merchant_id = ${merchantId} and shift_id = ${shiftId}
    order by created_at desc, event_id desc
    limit 1`;
  return row?.createdAt;
}

export interface ShiftFilter {
  readonly merchantId: string;
  readonly locationId: string;
  readonly opened: TimeRange;
  /** Which end of the range is inclusive. In v1 it depends on the order of the list; v2 always uses `ASC`. */
  readonly bounds: SortOrder;
  readonly order: SortOrder;
}

/** All shifts of the range, because v1 has no pages here. */
export async function listShifts(
  sql: Sql,
  { merchantId, locationId, opened, bounds, order }: ShiftFilter,
): Promise<Shift[]> {
  const direction = order === 'ASC' ? sql`asc` : sql`desc`;
  const rows = await sql<ShiftRow[]>`
    select ${shifts.select(sql)}
    from cash_drawer_shifts
    where merchant_id = ${merchantId} and location_id = ${locationId}
    ${within(sql, 'opened_at', opened, bounds)}
    order by opened_at ${direction}, shift_id ${direction}`;
  return rows.map(toShift);
}

/** The filter of lists with pages. The location is optional, and the dashboard filters by more fields. */
export interface ShiftPageFilter extends Omit<ShiftFilter, 'locationId'> {
  readonly locationId: string | undefined;
  readonly state?: ShiftState | undefined;
  readonly deviceId?: string | undefined;
  /** Somebody who took part in the shift. */
  readonly employeeId?: string | undefined;
  readonly page: PageRequest;
}

export async function listShiftPage(sql: Sql, filter: ShiftPageFilter): Promise<Page<Shift>> {
  const { merchantId, locationId, state, deviceId, employeeId, opened, bounds, order, page } = filter;
  if (employeeId !== undefined && !isUuid(employeeId)) return { items: [], next: undefined };
  const rows = await sql<ShiftRow[]>`
    select ${shifts.select(sql)}
    from cash_drawer_shifts
    where merchant_id = ${merchantId}
    ${locationId === undefined ? sql`` : sql`and location_id = ${locationId}`}
    ${state === undefined ? sql`` : sql`and state = ${state}`}
    ${deviceId === undefined ? sql`` : sql`and device_id = ${deviceId}`}
    ${employeeId === undefined ? sql`` : sql`and ${employeeId}::uuid = any (employee_ids)`}
    ${within(sql, 'opened_at', opened, bounds)}
    ${pageClause(sql, SORT, page, order)}`;
  return toPage(rows.map(toShift), page.limit, (shift) => ({ at: shift.openedAt, id: shift.id }));
}

/** A shift with all its events, oldest first. A single statement, so that the sums always match the events. */
export async function findShiftWithEvents(
  sql: Sql,
  { merchantId, shiftId, locationId }: ShiftKey,
): Promise<{ shift: Shift; events: readonly ShiftEvent[] } | undefined> {
  if (!isUuid(shiftId)) return undefined;
  const [row] = await sql<(ShiftRow & { events: ShiftEvent[] })[]>`
    select
      ${shifts.select(sql)},
      (
        select
          coalesce(json_agg(json_build_object(
            'id', event_id,
            'employeeId', employee_id,
            'kind', kind,
            'amount', amount,
            'description', description,
            'createdAt', (extract(epoch from created_at) * 1000)::bigint
          ) order by created_at, event_id), '[]')
        from cash_drawer_events
        where merchant_id = ${merchantId} and shift_id = ${shiftId}
      ) as events
    from cash_drawer_shifts
    where merchant_id = ${merchantId} and shift_id = ${shiftId}
    ${andLocationIs(sql, locationId)}`;
  if (!row) return undefined;
  const { events, ...shift } = row;
  return { shift: toShift(shift), events };
}

/** A page of events of a shift, oldest first. Undefined if the shift does not exist. */
export async function listShiftEvents(
  sql: Sql,
  { merchantId, shiftId, locationId, page }: ShiftKey & { readonly page: PageRequest },
): Promise<Page<ShiftEvent> | undefined> {
  if (!isUuid(shiftId)) return undefined;
  // The left join distinguishes a shift without events from a missing shift, in one round trip.
  const rows = await sql<(ShiftEvent | { id: null })[]>`
    select ${shiftEvents.select(sql)}
    from (
      select
      from cash_drawer_shifts
      where merchant_id = ${merchantId} and shift_id = ${shiftId}
      ${andLocationIs(sql, locationId)}
    ) shift
    left join lateral (
      select ${shiftEvents.names(sql)}
      from cash_drawer_events
      where merchant_id = ${merchantId} and shift_id = ${shiftId}
      ${pageClause(sql, { at: 'created_at', id: 'event_id' }, page, 'ASC')}
    ) event on true
    order by created_at, event_id`;
  if (rows.length === 0) return undefined;
  const events = rows.filter((row): row is ShiftEvent => row.id !== null);
  return toPage(events, page.limit, (event) => ({ at: event.createdAt, id: event.id }));
}

/** Copies shifts of a generated history, in their final state, with their events. */
export function insertPastShifts(
  past: Bulk,
  merchantId: string,
  made: readonly { readonly shift: Shift; readonly events: readonly RecordedEvent[] }[],
): void {
  shifts.copy(
    past,
    merchantId,
    made.map(({ shift }) => toShiftRow(shift)),
  );
  shiftEvents.copy(
    past,
    merchantId,
    made.flatMap(({ shift, events }) => events.map((event) => toEventRow(shift.id, event))),
  );
}
