/** Creates, changes and deletes timecards for applications, registers and the dashboard. */
import type { MerchantContext } from '../../api/operation.js';
import { notFound, Refusal, requireFound } from '../../base/errors.js';
import { type Instant, latest, wholeSecond } from '../../base/time.js';
import type { Change } from '../../database/change.js';
import { publish } from '../../events/publishing.js';
import { requireLocationInBody } from '../../identity/locations.js';
import { readEmployee } from '../employees/queries.js';
import {
  applyChanges,
  endOf,
  eventOf,
  requireAuthorizedLocations,
  requireOrderedTimes,
  type Timecard,
  type TimecardAction,
  type TimecardChanges,
  type TimecardEventKind,
  type TimecardTimes,
} from './model.js';
import { readOpenTimecard, readTimecard, type VersionedTimecard } from './queries.js';
import { timecardEvents, timecards } from './table.js';

type TimecardContext = Pick<MerchantContext, 'merchant' | 'ids' | 'now'>;

/** Without a clock-out this is a clock-in; with one it imports a past shift. */
export async function createTimecard(
  change: Change,
  { merchant, ids, now }: TimecardContext,
  {
    employeeId,
    kind,
    anyLocation = false,
    ...times
  }: TimecardTimes & {
    readonly employeeId: string;
    readonly kind: TimecardEventKind;
    /** Also allows locations where the employee may no longer work, because the work has already happened. */
    readonly anyLocation?: boolean;
  },
): Promise<Timecard> {
  requireMerchantLocations(times, merchant);
  requireOrderedTimes(times);
  const employee = await readEmployee(change, employeeId);
  if (!employee) throw notFound('employee', employeeId, 'employee_id');
  if (!anyLocation) requireAuthorizedLocations(times, employee.locationIds);
  const at = wholeSecond(now);
  const card: Timecard = {
    ...times,
    id: ids.newUuid(),
    employeeId: employee.id,
    deleted: false,
    createdAt: at,
    updatedAt: at,
  };
  change.insert(timecards, card);
  change.insert(timecardEvents, eventOf(card, { id: ids.newUuid(), kind }));
  if (kind === 'REGISTER_CLOCKIN') publishClockIn(change, card);
  return card;
}

/** Only a clock-in at a register notifies applications (contract 24.1). */
function publishClockIn(change: Change, { id, clockinLocationId, updatedAt }: Timecard): void {
  publish(change, { kind: 'TIMECARD_UPDATED', locationId: clockinLocationId, entityId: id, happenedAt: updatedAt });
}

/** Writes an event even if no value differs: it says that somebody has confirmed the timecard (contract 6 rule 1). */
export async function changeTimecard(
  { database, merchant, ids, now }: MerchantContext,
  timecardId: string,
  {
    kind,
    action,
    version,
    ...changes
  }: TimecardChanges & {
    readonly kind: TimecardEventKind;
    readonly action?: TimecardAction;
    /** If given, only this version is changed (decision 0148). */
    readonly version?: string | undefined;
  },
): Promise<Timecard> {
  requireMerchantLocations(changes, merchant); // input is validated before the state (decision 0004)
  return database.change(merchant.id, async (change) => {
    const card = await readTimecard(change, timecardId);
    if (!card) throw notFound('timecard', timecardId);
    if (version !== undefined && version !== card.version) {
      throw new Refusal('CONFLICT', { detail: 'Somebody has changed this timecard meanwhile.' });
    }
    const isClosedNow = action === 'CLOSE' && changes.clockoutAt === undefined;
    const wanted = isClosedNow ? { ...changes, clockoutAt: endOf(card, now, now) } : changes;
    const changed = applyChanges(card, wanted, action);
    const employee = requireFound(await readEmployee(change, card.employeeId), 'the employee of a timecard');
    requireAuthorizedLocations(changedLocations(card, changed), employee.locationIds);
    return save(change, { ids, now }, { card, changed, kind });
  });
}

/** Only changed locations are checked: a stored one stays valid even if the employee may no longer work there. */
function changedLocations(before: TimecardTimes, after: TimecardTimes): TimecardTimes {
  return {
    ...after,
    clockinLocationId: after.clockinLocationId === before.clockinLocationId ? null : after.clockinLocationId,
    clockoutLocationId: after.clockoutLocationId === before.clockoutLocationId ? null : after.clockoutLocationId,
  };
}

/** `updatedAt` never goes back, even if this request read the clock before a change that it had to wait for. */
function save(
  change: Change,
  { ids, now }: Pick<TimecardContext, 'ids' | 'now'>,
  { card, changed, kind }: { card: VersionedTimecard; changed: Timecard; kind: TimecardEventKind },
): Timecard {
  const saved = { ...changed, updatedAt: latest(wholeSecond(now), card.updatedAt) };
  change.save(timecards, card, saved);
  change.insert(timecardEvents, eventOf(saved, { id: ids.newUuid(), kind }));
  return saved;
}

/** Clocks the employee out of the open timecard. */
export async function clockOut(
  change: Change,
  context: Pick<TimecardContext, 'ids' | 'now'>,
  { employeeId, at, locationId }: { employeeId: string; at: Instant; locationId: string },
): Promise<Timecard> {
  const card = await readOpenTimecard(change, employeeId);
  if (!card) throw new Refusal('WRONG_STATE', { detail: 'The employee is not clocked in.' });
  const changed = applyChanges(card, { clockoutAt: endOf(card, at, context.now), clockoutLocationId: locationId });
  return save(change, context, { card, changed, kind: 'REGISTER_CLOCKOUT' });
}

/** Deleting twice is permitted (decision 0021), and is recorded once. */
export async function deleteTimecard(
  { database, merchant, ids, now }: MerchantContext,
  timecardId: string,
  kind: TimecardEventKind,
): Promise<void> {
  await database.change(merchant.id, async (change) => {
    const card = await readTimecard(change, timecardId);
    if (!card) throw notFound('timecard', timecardId);
    if (!card.deleted) save(change, { ids, now }, { card, changed: { ...card, deleted: true }, kind });
  });
}

function requireMerchantLocations(
  { clockinLocationId, clockoutLocationId }: TimecardTimes | TimecardChanges,
  merchant: TimecardContext['merchant'],
): void {
  if (clockinLocationId != null) requireLocationInBody(merchant, clockinLocationId, 'clockin_location_id');
  if (clockoutLocationId != null) requireLocationInBody(merchant, clockoutLocationId, 'clockout_location_id');
}
