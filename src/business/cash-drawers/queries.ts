/** SQL for cash drawer shifts and their events. */
import { isUuid } from '../../base/ids.js';
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
import { contributions, type Shift, type ShiftEvent, type ShiftState } from './model.js';

type ShiftRow = Omit<Shift, 'id' | 'device'> & { shiftId: string; deviceId: string; deviceName: string };
type EventRow = Omit<ShiftEvent, 'id'> & { eventId: string };

const writtenColumns = (sql: Sql) => sql`
  shift_id, location_id, device_id, device_name, state, description, opened_at, ended_at, closed_at, employee_ids,
  opening_employee_id, ending_employee_id, closing_employee_id, currency, opened_cash, cash_payments, cash_refunds,
  cash_paid_in, cash_paid_out, closed_cash`;

/** `expected_cash` is a generated column, so it is only read. */
const columns = (sql: Sql) => sql`${writtenColumns(sql)}, expected_cash`;

function toShift({ shiftId, deviceId, deviceName, ...rest }: ShiftRow): Shift {
  return { ...rest, id: shiftId, device: { id: deviceId, name: deviceName } };
}

function toEvent({ eventId, ...rest }: EventRow): ShiftEvent {
  return { id: eventId, ...rest };
}

const eventColumns = (sql: Sql) => sql`event_id, employee_id, kind, amount, description, created_at`;

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

/** Locks the device's open shift while an event of a sale is recorded. */
export async function lockOpenShift(tx: Tx, merchantId: string, deviceId: string): Promise<Shift | undefined> {
  const [row] = await tx<ShiftRow[]>`
    select ${columns(tx)}
    from cash_drawer_shifts
    where merchant_id = ${merchantId} and device_id = ${deviceId} and state = 'OPEN'
    for update`;
  return row && toShift(row);
}

/** Locks a shift for a change of its state or for a new event. */
export async function lockShift(tx: Tx, { merchantId, shiftId }: ShiftKey): Promise<Shift | undefined> {
  if (!isUuid(shiftId)) return undefined;
  const [row] = await tx<ShiftRow[]>`
    select ${columns(tx)}
    from cash_drawer_shifts
    where merchant_id = ${merchantId} and shift_id = ${shiftId}
    for update`;
  return row && toShift(row);
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

export async function listShiftPage(
  sql: Sql,
  { merchantId, locationId, opened, bounds, order, page }: ShiftFilter & { readonly page: PageRequest },
): Promise<Page<Shift>> {
  const rows = await sql<ShiftRow[]>`
    select ${columns(sql)}
    from cash_drawer_shifts
    where merchant_id = ${merchantId} and location_id = ${locationId}
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
  const rows = await sql<(EventRow | { eventId: null })[]>`
    select
      event.event_id, event.employee_id, event.kind, event.amount, event.description, event.created_at
    from cash_drawer_shifts shift
    left join lateral (
      select ${eventColumns(sql)}
      from cash_drawer_events
      where merchant_id = ${merchantId} and shift_id = ${shiftId}
      ${pageClause(sql, { at: 'created_at', id: 'event_id' }, page, 'ASC')}
    ) event on true
    where shift.merchant_id = ${merchantId} and shift.shift_id = ${shiftId}
    ${andLocationIs(sql, locationId, sql`shift.location_id`)}
    order by event.created_at, event.event_id`;
  if (rows.length === 0) return undefined;
  const events = rows.filter((row): row is EventRow => row.eventId !== null).map(toEvent);
  return toPage(events, page.limit, (event) => ({ at: event.createdAt, id: event.id }));
}

export async function insertShift(tx: Tx, merchantId: string, shift: Shift): Promise<void> {
  await tx`
    insert into cash_drawer_shifts (
      merchant_id, shift_id, location_id, device_id, device_name, state, description, opened_at, employee_ids,
      opening_employee_id, currency, opened_cash
    )
    values (
      ${merchantId}, ${shift.id}, ${shift.locationId}, ${shift.device.id}, ${shift.device.name}, ${shift.state},
      ${shift.description}, ${shift.openedAt}, ${shift.employeeIds as string[]}::uuid[], ${shift.openingEmployeeId},
      ${shift.currency}, ${shift.openedCash}
    )`;
}

/** An event with the id of its payment or refund, if it has one. */
export type RecordedEvent = ShiftEvent & { readonly subjectId?: string };

/** Copies shifts of a generated history, in their final state, with their events. */
export function insertPastShifts(
  past: Bulk,
  merchantId: string,
  shifts: readonly { readonly shift: Shift; readonly events: readonly RecordedEvent[] }[],
): void {
  past.copy(
    'cash_drawer_shifts',
    (tx) => tx`copy cash_drawer_shifts (merchant_id, ${writtenColumns(tx)}) from stdin`,
    shifts,
    ({ shift }) => [
      merchantId,
      shift.id,
      shift.locationId,
      shift.device.id,
      shift.device.name,
      shift.state,
      shift.description,
      toTimestamp(shift.openedAt),
      shift.endedAt === null ? null : toTimestamp(shift.endedAt),
      shift.closedAt === null ? null : toTimestamp(shift.closedAt),
      shift.employeeIds,
      shift.openingEmployeeId,
      shift.endingEmployeeId,
      shift.closingEmployeeId,
      shift.currency,
      shift.openedCash,
      shift.cashPayments,
      shift.cashRefunds,
      shift.cashPaidIn,
      shift.cashPaidOut,
      shift.closedCash,
    ],
  );
  past.copy(
    'cash_drawer_events',
    (tx) => tx`
      copy cash_drawer_events (
        merchant_id, shift_id, event_id, employee_id, kind, amount, description, created_at, subject_id
      )
      from stdin`,
    shifts.flatMap(({ shift, events }) => events.map((event) => ({ shift, event }))),
    ({ shift, event }) => [
      merchantId,
      shift.id,
      event.id,
      event.employeeId,
      event.kind,
      event.amount,
      event.description,
      toTimestamp(event.createdAt),
      event.subjectId ?? null,
    ],
  );
}

/** Inserts an event and updates the sums of its shift in one statement. */
export async function insertShiftEvent(
  tx: Tx,
  { merchantId, shiftId }: ShiftKey,
  event: RecordedEvent,
): Promise<Shift | undefined> {
  const sums = contributions(event);
  const [row] = await tx<ShiftRow[]>`
    with event as (
      insert into cash_drawer_events (
        merchant_id, shift_id, event_id, employee_id, kind, amount, description, created_at, subject_id
      )
      values (
        ${merchantId}, ${shiftId}, ${event.id}, ${event.employeeId}, ${event.kind}, ${event.amount},
        ${event.description}, ${event.createdAt}, ${event.subjectId ?? null}
      )
    )
    update cash_drawer_shifts
    set
      cash_payments = cash_payments + ${sums.cashPayments},
      cash_refunds = cash_refunds + ${sums.cashRefunds},
      cash_paid_in = cash_paid_in + ${sums.cashPaidIn},
      cash_paid_out = cash_paid_out + ${sums.cashPaidOut},
      employee_ids = ${withEmployee(tx, event.employeeId)}
    where merchant_id = ${merchantId} and shift_id = ${shiftId}
    returning ${columns(tx)}`;
  return row && toShift(row);
}

/** Adds the employee to the list of participants, without duplicates. */
function withEmployee(tx: Tx, employeeId: string) {
  return tx`case
    when ${employeeId}::uuid = any (employee_ids) then employee_ids
    else employee_ids || ${employeeId}::uuid
  end`;
}

interface ShiftMove extends ShiftKey {
  readonly from: ShiftState;
  readonly employeeId: string;
  readonly at: Instant;
}

export async function moveShiftToEnded(tx: Tx, { merchantId, shiftId, from, employeeId, at }: ShiftMove) {
  const [row] = await tx<ShiftRow[]>`
    update cash_drawer_shifts
    set
      state = 'ENDED',
      ended_at = ${at},
      ending_employee_id = ${employeeId},
      employee_ids = ${withEmployee(tx, employeeId)}
    where merchant_id = ${merchantId} and shift_id = ${shiftId} and state = ${from}
    returning ${columns(tx)}`;
  return row && toShift(row);
}

export async function moveShiftToClosed(
  tx: Tx,
  { merchantId, shiftId, from, employeeId, at, closedCash }: ShiftMove & { readonly closedCash: Amount },
) {
  const [row] = await tx<ShiftRow[]>`
    update cash_drawer_shifts
    set
      state = 'CLOSED',
      closed_at = ${at},
      closing_employee_id = ${employeeId},
      closed_cash = ${closedCash},
      employee_ids = ${withEmployee(tx, employeeId)}
    where merchant_id = ${merchantId} and shift_id = ${shiftId} and state = ${from}
    returning ${columns(tx)}`;
  return row && toShift(row);
}
