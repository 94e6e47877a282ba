/** SQL for cash drawer shifts and their events. */
import { isUuid } from '../../base/ids.js';
import type { Instant } from '../../base/time.js';
import { type Change, json, type Versioned } from '../../database/change.js';
import { Columns } from '../../database/columns.js';
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
import { contributions, type Shift, type ShiftEvent, type ShiftState } from './model.js';

type ShiftRow = Omit<Shift, 'device'> & { readonly deviceId: string; readonly deviceName: string };

/** Without `expected_cash`, which is a generated column. */
const SHIFT_COLUMNS = new Columns<Omit<ShiftRow, 'expectedCash'>>({
  id: { column: 'shift_id', as: 'value' },
  locationId: 'value',
  deviceId: 'value',
  deviceName: 'value',
  state: 'value',
  description: 'value',
  openedAt: 'time',
  endedAt: 'time',
  closedAt: 'time',
  employeeIds: 'value',
  openingEmployeeId: 'value',
  endingEmployeeId: 'value',
  closingEmployeeId: 'value',
  currency: 'value',
  openedCash: 'value',
  cashPayments: 'value',
  cashRefunds: 'value',
  cashPaidIn: 'value',
  cashPaidOut: 'value',
  closedCash: 'value',
  closingNote: 'value',
});

const columns = (sql: Sql) => sql`${SHIFT_COLUMNS.select(sql)}, expected_cash`;

function toShift({ deviceId, deviceName, ...rest }: ShiftRow): Shift {
  return { ...rest, device: { id: deviceId, name: deviceName } };
}

function toShiftRow({ device, ...rest }: Shift): ShiftRow {
  return { ...rest, deviceId: device.id, deviceName: device.name };
}

/** An event with the id of its payment or refund, if it has one. */
export type RecordedEvent = ShiftEvent & { readonly subjectId?: string };

const EVENT_COLUMNS = new Columns<Required<RecordedEvent> & { readonly shiftId: string }>({
  shiftId: 'value',
  id: { column: 'event_id', as: 'value' },
  employeeId: 'value',
  kind: 'value',
  amount: 'value',
  description: 'value',
  createdAt: 'time',
  subjectId: 'value',
});

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
    select ${columns(sql)}
    from cash_drawer_shifts
    where merchant_id = ${merchantId} and shift_id = ${shiftId}
    ${andLocationIs(sql, locationId)}`;
  return row && toShift(row);
}

export async function findOpenShift(sql: Sql, merchantId: string, deviceId: string): Promise<Shift | undefined> {
  const [row] = await sql<ShiftRow[]>`
    select ${columns(sql)}
    from cash_drawer_shifts
    where merchant_id = ${merchantId} and device_id = ${deviceId} and state = 'OPEN'`;
  return row && toShift(row);
}

/** Finds a shift whose state changes, or which gets an event. The change depends on it. */
export async function readShift(change: Change, shiftId: string): Promise<Shift | undefined> {
  if (!isUuid(shiftId)) return undefined;
  const { sql, merchantId } = change;
  const [row] = await sql<(ShiftRow & Versioned)[]>`
    select ${columns(sql)}, xmin::text as version
    from cash_drawer_shifts
    where merchant_id = ${merchantId} and shift_id = ${shiftId}`;
  if (!row) return undefined;
  const { version, ...shift } = row;
  change.expect('cash_drawer_shifts', [shift.id], { version });
  return toShift(shift);
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
    select ${columns(sql)}
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
    select ${columns(sql)}
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
      ${columns(sql)},
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
    select ${EVENT_COLUMNS.select(sql)}
    from (
      select
      from cash_drawer_shifts
      where merchant_id = ${merchantId} and shift_id = ${shiftId}
      ${andLocationIs(sql, locationId)}
    ) shift
    left join lateral (
      select ${EVENT_COLUMNS.names(sql)}
      from cash_drawer_events
      where merchant_id = ${merchantId} and shift_id = ${shiftId}
      ${pageClause(sql, { at: 'created_at', id: 'event_id' }, page, 'ASC')}
    ) event on true
    order by created_at, event_id`;
  if (rows.length === 0) return undefined;
  const events = rows.filter((row): row is ShiftEvent => row.id !== null);
  return toPage(events, page.limit, (event) => ({ at: event.createdAt, id: event.id }));
}

export function insertShift(change: Change, shift: Shift): void {
  change.call('open_drawer_shift', { shift: json(SHIFT_COLUMNS.toRow(toShiftRow(shift))) });
}

/** Copies shifts of a generated history, in their final state, with their events. */
export function insertPastShifts(
  past: Bulk,
  merchantId: string,
  shifts: readonly { readonly shift: Shift; readonly events: readonly RecordedEvent[] }[],
): void {
  past.copy(
    'cash_drawer_shifts',
    (tx) => tx`copy cash_drawer_shifts (merchant_id, ${SHIFT_COLUMNS.names(tx)}) from stdin`,
    shifts,
    ({ shift }) => [merchantId, ...SHIFT_COLUMNS.toCells(toShiftRow(shift))],
  );
  past.copy(
    'cash_drawer_events',
    (tx) => tx`copy cash_drawer_events (merchant_id, ${EVENT_COLUMNS.names(tx)}) from stdin`,
    shifts.flatMap(({ shift, events }) => events.map((event) => ({ ...event, shiftId: shift.id }))),
    (event) => [merchantId, ...EVENT_COLUMNS.toCells(event)],
  );
}

/** Inserts an event and adds it to the sums of its shift. If the shift is no longer OPEN by then, the change is repeated. */
export function insertShiftEvent(change: Change, shiftId: string, event: RecordedEvent): void {
  change.call('record_drawer_event', {
    event: json(EVENT_COLUMNS.toRow({ ...event, shiftId })),
    added: json(SHIFT_COLUMNS.toRow(contributions(event))),
  });
}

/** Saves a shift that has ended or closed. */
export function moveShift(change: Change, { id, state, endedAt, closedAt, ...shift }: Shift): void {
  change.call('move_drawer_shift', {
    shift_id: id,
    state,
    ended_at: endedAt && toTimestamp(endedAt),
    closed_at: closedAt && toTimestamp(closedAt),
    ending_employee_id: shift.endingEmployeeId,
    closing_employee_id: shift.closingEmployeeId,
    closed_cash: shift.closedCash,
    closing_note: shift.closingNote,
    employee_ids: json(JSON.stringify(shift.employeeIds)),
  });
}
