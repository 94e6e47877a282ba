/** Everything that is done to cash drawer shifts. */
import { notFound, Refusal, requireFound } from '../../base/errors.js';
import type { Ids } from '../../base/ids.js';
import { type Amount, ZERO } from '../../base/money.js';
import type { Instant } from '../../base/time.js';
import type { Tx } from '../../database/database.js';
import type { CallerMerchant, Device } from '../../identity/caller.js';
import { nextState, type Shift, type ShiftAction, type ShiftEventKind } from './model.js';
import {
  insertShift,
  insertShiftEvent,
  lockOpenShift,
  lockShift,
  moveShiftToClosed,
  moveShiftToEnded,
} from './queries.js';

/** Who does it, at which device, and when it happened. */
export interface DrawerAct {
  readonly merchant: CallerMerchant;
  readonly ids: Ids;
  readonly device: Device;
  readonly employeeId: string;
  readonly at: Instant;
}

export async function openShift(
  tx: Tx,
  { merchant, ids, device, employeeId, at }: DrawerAct,
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
  act: DrawerAct,
  {
    shiftId,
    kind,
    amount,
    description,
  }: { shiftId: string; kind: ShiftEventKind; amount: Amount; description: string | null },
): Promise<Shift> {
  await lockForAction(tx, act, shiftId, 'RECORD');
  const event = { id: act.ids.newUuid(), employeeId: act.employeeId, kind, amount, description, createdAt: act.at };
  return locked(await insertShiftEvent(tx, { merchantId: act.merchant.id, shiftId }, event));
}

/** Who lets a sale's cash come or go, at which device, and when. */
export interface TenderAct {
  readonly merchant: Pick<CallerMerchant, 'id'>;
  readonly ids: Ids;
  readonly device: Pick<Device, 'id'>;
  readonly employeeId: string;
  readonly at: Instant;
}

/** What a sale does to the drawer: its kind and amount, and the payment or refund behind it. */
export interface TenderEvent {
  readonly kind: ShiftEventKind;
  readonly amount: Amount;
  readonly subjectId: string;
}

/**
 * Into the device's open shift, if that was open when it happened; its id. What happened in a shift that is closed by now
 * is not forced into another (decision 0058).
 */
export async function recordTender(tx: Tx, act: TenderAct, event: TenderEvent): Promise<string | null> {
  return recordInOpenShift(tx, act, () => event);
}

/** What a drawer notes of a tender that goes back before its sale is complete. */
export interface ReturnedTender {
  /** The shift that took it. */
  readonly takenIn: string | null;
  readonly canceled: TenderEvent;
  readonly refunded: TenderEvent | undefined;
}

/** Out of the shift that took it, it is a payment less; out of any other, it is a refund of that one (decision 0058). */
export async function recordReturn(tx: Tx, act: TenderAct, tender: ReturnedTender): Promise<void> {
  await recordInOpenShift(tx, act, ({ id }) => (id === tender.takenIn ? tender.canceled : tender.refunded));
}

async function recordInOpenShift(
  tx: Tx,
  act: TenderAct,
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

export async function endShift(tx: Tx, act: DrawerAct, shiftId: string): Promise<Shift> {
  const { state: from } = await lockForAction(tx, act, shiftId, 'END');
  return locked(await moveShiftToEnded(tx, { merchantId: act.merchant.id, shiftId, from, ...act }));
}

export async function closeShift(tx: Tx, act: DrawerAct, shiftId: string, closedCash: Amount): Promise<Shift> {
  const { state: from } = await lockForAction(tx, act, shiftId, 'CLOSE');
  return locked(await moveShiftToClosed(tx, { merchantId: act.merchant.id, shiftId, from, closedCash, ...act }));
}

/** A register works on its own drawer only; another's is not there for it. */
async function lockForAction(
  tx: Tx,
  { merchant, device, at }: DrawerAct,
  shiftId: string,
  action: ShiftAction,
): Promise<Shift> {
  const shift = await lockShift(tx, { merchantId: merchant.id, shiftId });
  if (!shift || shift.device.id !== device.id) throw notFound('cash drawer shift', shiftId);
  nextState(shift.state, action);
  if (at < (shift.endedAt ?? shift.openedAt)) {
    throw new Refusal('INVALID_VALUE', {
      field: 'occurred_at',
      detail: 'occurred_at lies before the shift reached its state.',
    });
  }
  return shift;
}

function locked(shift: Shift | undefined): Shift {
  return requireFound(shift, 'a shift that is locked');
}
