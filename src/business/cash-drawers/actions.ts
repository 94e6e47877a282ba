/** Opens, ends and closes cash drawer shifts and records their events. */
import { parseOccurredAt } from '../../access/devices/register-writes.js';
import type { AttendantContext } from '../../api/operation.js';
import { notFound, Refusal } from '../../base/errors.js';
import type { Ids } from '../../base/ids.js';
import { type Amount, ZERO } from '../../base/money.js';
import { type Instant, instant, latest } from '../../base/time.js';
import type { Change, Versioned } from '../../database/change.js';
import type { CallerMerchant, Device } from '../../identity/caller.js';
import {
  CLOCK_ERROR_MS,
  type Count,
  contributions,
  nextState,
  type ReturnedTender,
  type Shift,
  type ShiftAction,
  type ShiftEvent,
  type ShiftEventKind,
  type TenderEvent,
  toClosed,
  toEnded,
  withEvent,
} from './model.js';
import { findLastEventTime, findOpenShift, readShift } from './queries.js';
import { toStoredReport } from './report-model.js';
import { findDrawerFacts } from './report-queries.js';
import { type RecordedEvent, shiftEvents, shiftReports, shifts, toEventRow, toReportRow, toShiftRow } from './table.js';

/** The employee and the device that act on a cash drawer, and the time of the action. */
export interface DrawerContext {
  readonly merchant: CallerMerchant;
  readonly ids: Ids;
  readonly device: Device;
  readonly employeeId: string;
  readonly at: Instant;
}

export function openShift(
  change: Change,
  { merchant, ids, device, employeeId, at }: DrawerContext,
  { openedCash, description }: { openedCash: Amount; description: string | null },
): Shift {
  const shift: Shift = {
    id: ids.newUuid(),
    locationId: device.locationId,
    device: { id: device.id, name: device.name },
    state: 'OPEN',
    description,
    openedAt: at,
    endedAt: null,
    closedAt: null,
    employeeIds: [employeeId],
    openingEmployeeId: employeeId,
    endingEmployeeId: null,
    closingEmployeeId: null,
    currency: merchant.currency,
    openedCash,
    cashPayments: ZERO,
    cashRefunds: ZERO,
    cashPaidIn: ZERO,
    cashPaidOut: ZERO,
    expectedCash: openedCash,
    closedCash: null,
    closingNote: null,
  };
  change.insert(shifts, toShiftRow(shift));
  return shift;
}

export async function recordDrawerEvent(
  change: Change,
  act: DrawerContext,
  {
    shiftId,
    kind,
    amount,
    description,
  }: { shiftId: string; kind: ShiftEventKind; amount: Amount; description: string | null },
): Promise<Shift> {
  const shift = await readForAction(change, act, shiftId, 'RECORD');
  const event = { id: act.ids.newUuid(), employeeId: act.employeeId, kind, amount, description, createdAt: act.at };
  addEvent(change, shift.id, event);
  return withEvent(shift, event);
}

/**
 * Adds an event to the sums of its shift, and its employee to the participants. If the shift is no longer OPEN by then, the change is
 * repeated.
 */
export function addEvent(change: Change, shiftId: string, event: RecordedEvent): void {
  const added = { ...contributions(event), employeeIds: [event.employeeId] };
  change.add(shifts, { id: shiftId, state: 'OPEN' }, added);
  change.insert(shiftEvents, toEventRow(shiftId, event));
}

/** The employee and the device that take or return a tender, and the time. */
export interface DrawerTenderContext {
  readonly ids: Ids;
  readonly device: Pick<Device, 'id'>;
  readonly employeeId: string;
  readonly at: Instant;
}

/**
 * Records the event in the device's open shift and returns the id of the shift. Returns null if there is no open shift, or
 * if it opened well after the event: an event of an earlier shift is not recorded in another one (decision 0058).
 */
export async function recordTender(
  change: Change,
  act: DrawerTenderContext,
  event: TenderEvent,
): Promise<string | null> {
  return recordInOpenShift(change, act, () => event);
}

/** In the shift that took the tender, a return cancels the payment. In other shifts it is a refund (decision 0058). */
export async function recordReturnedTender(
  change: Change,
  act: DrawerTenderContext,
  tender: ReturnedTender,
): Promise<void> {
  await recordInOpenShift(change, act, ({ id }) => (id === tender.takenIn ? tender.canceled : tender.refunded));
}

/** Cash that was taken at the device, and that pays for nothing. Returns whether a drawer was open for it. */
export async function recordSurplusCash(
  change: Change,
  act: DrawerTenderContext,
  { amount, description }: { readonly amount: Amount; readonly description: string },
): Promise<boolean> {
  return (await recordInOpenShift(change, act, () => ({ kind: 'PAID_IN', amount, description }))) !== null;
}

/**
 * When a register did what moves money: never just before the opening of its drawer. What it does online is done with the drawer that is
 * open now (decision 0220).
 */
export async function readTimeOfWrite(
  change: Change,
  context: Pick<AttendantContext, 'now' | 'kept' | 'device'>,
  occurredAt: string | undefined,
): Promise<Instant> {
  const at = parseOccurredAt(context, occurredAt);
  if (at === context.now) return at;
  const shift = await findOpenShift(change.sql, change.merchantId, context.device.id);
  if (!shift || (context.kept && at < shift.openedAt - CLOCK_ERROR_MS)) return at;
  return instant(Math.max(at, shift.openedAt));
}

/** Does not depend on the version of the shift, because sales of a device need not wait for each other. */
async function recordInOpenShift(
  change: Change,
  act: DrawerTenderContext,
  eventIn: (shift: Shift) => TenderEvent | (Pick<ShiftEvent, 'kind' | 'amount'> & Partial<ShiftEvent>) | undefined,
): Promise<string | null> {
  const shift = await findOpenShift(change.sql, change.merchantId, act.device.id);
  if (!shift || act.at < shift.openedAt - CLOCK_ERROR_MS) return null;
  const event = eventIn(shift);
  if (!event) return null;
  const recorded = {
    description: null,
    ...event,
    id: act.ids.newUuid(),
    employeeId: act.employeeId,
    createdAt: instant(Math.max(act.at, shift.openedAt)), // the clocks of servers differ a little too
  };
  addEvent(change, shift.id, recorded);
  return shift.id;
}

/** Saves a shift that has ended or closed. */
export function saveShift(change: Change, before: Shift & Versioned, after: Shift): void {
  change.save(shifts, toShiftRow(before), toShiftRow(after));
}

/** A drawer does not end before what is in it, whatever the register says: else its cash would be in the shift, but in no report (decision 0230). */
export async function endShift(change: Change, act: DrawerContext, shiftId: string): Promise<Shift> {
  const shift = await readForAction(change, act, shiftId, 'END');
  const lastEventAt = await findLastEventTime(change, shift.id);
  const ended = toEnded(shift, { ...act, at: latest(act.at, lastEventAt ?? act.at) });
  saveShift(change, shift, ended);
  return ended;
}

export async function closeShift(change: Change, act: DrawerContext, shiftId: string, count: Count): Promise<Shift> {
  const shift = await readForAction(change, act, shiftId, 'CLOSE');
  const closed = toClosed(shift, { ...act, at: latest(act.at, shift.endedAt ?? act.at) }, count);
  saveShift(change, shift, closed);
  // The Z report is what was printed. It does not depend on the sales that it read: one that is committed meanwhile is late.
  const report = toStoredReport(await findDrawerFacts(change.sql, change.merchantId, closed));
  change.insert(shiftReports, toReportRow(closed.id, report));
  return closed;
}

/** A register can change only its own drawer. It gets 404 for the shift of another register. */
async function readForAction(
  change: Change,
  { device, at }: DrawerContext,
  shiftId: string,
  action: ShiftAction,
): Promise<Shift & Versioned> {
  const shift = await readShift(change, shiftId);
  if (!shift || shift.device.id !== device.id) throw notFound('cash drawer shift', shiftId);
  nextState(shift.state, action);
  if (at < shift.openedAt) {
    throw new Refusal('INVALID_VALUE', { field: 'occurred_at', detail: 'occurred_at is before the shift was opened.' });
  }
  return shift;
}
