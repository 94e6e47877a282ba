/** Opens, ends and closes cash drawer shifts and records their events. */
import { notFound, Refusal, requireFound } from '../../base/errors.js';
import type { Ids } from '../../base/ids.js';
import { type Amount, ZERO } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { Tx } from '../../database/database.js';
import type { CallerMerchant, Device } from '../../identity/caller.js';
import { nextState, type Shift, type ShiftAction, type ShiftEventKind } from './model.js';
import {
  findShift,
  insertShift,
  insertShiftEvent,
  lockOpenShift,
  lockShift,
  moveShiftToClosed,
  moveShiftToEnded,
} from './queries.js';

/** The employee and the device that act on a cash drawer, and the time of the action. */
export interface DrawerContext {
  readonly merchant: CallerMerchant;
  readonly ids: Ids;
  readonly device: Device;
  readonly employeeId: string;
  readonly at: Instant;
}

export async function openShift(
  tx: Tx,
  { merchant, ids, device, employeeId, at }: DrawerContext,
  { openedCash, description }: { openedCash: Amount; description: string | null },
): Promise<Shift> {
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
  };
  await insertShift(tx, merchant.id, shift);
  return shift;
}

export async function recordDrawerEvent(
  tx: Tx,
  act: DrawerContext,
  {
    shiftId,
    kind,
    amount,
    description,
  }: { shiftId: string; kind: ShiftEventKind; amount: Amount; description: string | null },
): Promise<Shift> {
  await lockForAction(tx, act, shiftId, 'RECORD');
  const event = { id: act.ids.newUuid(), employeeId: act.employeeId, kind, amount, description, createdAt: act.at };
  const key = { merchantId: act.merchant.id, shiftId };
  await insertShiftEvent(tx, key, event);
  return requireLocked(await findShift(tx, key));
}

/** The employee and the device that take or return a tender, and the time. */
export interface DrawerTenderContext {
  readonly merchant: Pick<CallerMerchant, 'id'>;
  readonly ids: Ids;
  readonly device: Pick<Device, 'id'>;
  readonly employeeId: string;
  readonly at: Instant;
}

/** A drawer event of a sale. */
export interface TenderEvent {
  readonly kind: ShiftEventKind;
  readonly amount: Amount;
  /** The payment or refund. */
  readonly subjectId: string;
}

/**
 * Records the event in the device's open shift and returns the id of the shift. Returns null if there is no open shift, or
 * if it opened after the event: an event of an earlier shift is not recorded in another one (decision 0058).
 */
export async function recordTender(tx: Tx, act: DrawerTenderContext, event: TenderEvent): Promise<string | null> {
  return recordInOpenShift(tx, act, () => event);
}

/** A tender that is returned before its sale is complete. */
export interface ReturnedTender {
  /** The shift in which the tender was taken. */
  readonly takenIn: string | null;
  readonly canceled: TenderEvent;
  readonly refunded: TenderEvent | undefined;
}

/** In the shift that took the tender, a return cancels the payment. In other shifts it is a refund (decision 0058). */
export async function recordReturnedTender(tx: Tx, act: DrawerTenderContext, tender: ReturnedTender): Promise<void> {
  await recordInOpenShift(tx, act, ({ id }) => (id === tender.takenIn ? tender.canceled : tender.refunded));
}

async function recordInOpenShift(
  tx: Tx,
  act: DrawerTenderContext,
  eventIn: (shift: Shift) => TenderEvent | undefined,
): Promise<string | null> {
  const shift = await lockOpenShift(tx, act.merchant.id, act.device.id);
  if (!shift || act.at < shift.openedAt) return null;
  const event = eventIn(shift);
  if (!event) return null;
  const recorded = {
    ...event,
    id: act.ids.newUuid(),
    employeeId: act.employeeId,
    description: null,
    createdAt: act.at,
  };
  await insertShiftEvent(tx, { merchantId: act.merchant.id, shiftId: shift.id }, recorded);
  return shift.id;
}

export async function endShift(tx: Tx, act: DrawerContext, shiftId: string): Promise<Shift> {
  const { state: from } = await lockForAction(tx, act, shiftId, 'END');
  return requireLocked(await moveShiftToEnded(tx, { merchantId: act.merchant.id, shiftId, from, ...act }));
}

export async function closeShift(tx: Tx, act: DrawerContext, shiftId: string, closedCash: Amount): Promise<Shift> {
  const { state: from } = await lockForAction(tx, act, shiftId, 'CLOSE');
  return requireLocked(await moveShiftToClosed(tx, { merchantId: act.merchant.id, shiftId, from, closedCash, ...act }));
}

/** A register can change only its own drawer. It gets 404 for the shift of another register. */
async function lockForAction(
  tx: Tx,
  { merchant, device, at }: DrawerContext,
  shiftId: string,
  action: ShiftAction,
): Promise<Shift> {
  const shift = await lockShift(tx, { merchantId: merchant.id, shiftId });
  if (!shift || shift.device.id !== device.id) throw notFound('cash drawer shift', shiftId);
  nextState(shift.state, action);
  if (at < (shift.endedAt ?? shift.openedAt)) {
    throw new Refusal('INVALID_VALUE', {
      field: 'occurred_at',
      detail: 'occurred_at is earlier than the last change of the state of the shift.',
    });
  }
  return shift;
}

function requireLocked(shift: Shift | undefined): Shift {
  return requireFound(shift, 'a locked shift');
}
