/** Everything that is done to timecards, by applications, registers and the dashboard alike. */
import type { MerchantContext } from '../../api/operation.js';
import { notFound, Refusal } from '../../base/errors.js';
import { type Ids, isUuid } from '../../base/ids.js';
import { type Instant, latest, wholeSecond } from '../../base/time.js';
import type { Tx } from '../../database/database.js';
import { requireLocationInBody } from '../../identity/locations.js';
import {
  applyChanges,
  requireAuthorizedPlaces,
  requireOrderedTimes,
  sameTimes,
  type Timecard,
  type TimecardAction,
  type TimecardChanges,
  type TimecardEventKind,
  type TimecardTimes,
} from './model.js';
import { insertTimecard, lockOpenTimecard, lockTimecard, moveTimecardToDeleted, updateTimecard } from './queries.js';

type Occasion = Pick<MerchantContext, 'merchant' | 'ids' | 'now'>;

function eventOf(ids: Ids, kind: TimecardEventKind) {
  return { id: ids.newUuid(), kind };
}

/** A clock-in where there is no clock-out; the import of a past shift where there is one. */
export async function createTimecard(
  tx: Tx,
  { merchant, ids, now }: Occasion,
  { employeeId, kind, ...times }: TimecardTimes & { readonly employeeId: string; readonly kind: TimecardEventKind },
): Promise<Timecard> {
  requireOwnPlaces(times, merchant);
  requireOrderedTimes(times);
  const at = wholeSecond(now);
  const card: Timecard = {
    ...times,
    id: ids.newUuid(),
    employeeId: employeeId.toLowerCase(), // as it is kept
    deleted: false,
    createdAt: at,
    updatedAt: at,
  };
  const outcome = isUuid(employeeId)
    ? await insertTimecard(tx, merchant.id, card, eventOf(ids, kind))
    : ({ kind: 'no employee' } as const);
  if (outcome.kind === 'no employee') throw notFound('employee', employeeId, 'employee_id');
  if (outcome.kind === 'not authorized') requireAuthorizedPlaces(card, outcome.authorizedLocationIds);
  return card;
}

/** Decision 0021: a change that changes nothing leaves no trace. */
export async function changeTimecard(
  { database, merchant, ids, now }: MerchantContext,
  timecardId: string,
  {
    kind,
    action,
    ...changes
  }: TimecardChanges & { readonly kind: TimecardEventKind; readonly action?: TimecardAction },
): Promise<Timecard> {
  requireOwnPlaces(changes, merchant); // the input before the state (decision 0004)
  return database.transaction(async (tx) => {
    const found = await lockTimecard(tx, merchant.id, timecardId);
    if (!found) throw notFound('timecard', timecardId);
    const changed = applyChanges(found.card, changes, action);
    if (sameTimes(found.card, changed)) return found.card;
    requireAuthorizedPlaces(newPlaces(found.card, changed), found.authorizedLocationIds);
    return save(tx, { merchant, ids, now }, changed, kind);
  });
}

/** A place that was right when it was written stays, even if the employee may no longer work there. */
function newPlaces(before: TimecardTimes, after: TimecardTimes): TimecardTimes {
  return {
    ...after,
    clockinLocationId: after.clockinLocationId === before.clockinLocationId ? null : after.clockinLocationId,
    clockoutLocationId: after.clockoutLocationId === before.clockoutLocationId ? null : after.clockoutLocationId,
  };
}

/** A request that waited for another's change does not date back before it. */
async function save(
  tx: Tx,
  { merchant, ids, now }: Occasion,
  card: Timecard,
  kind: TimecardEventKind,
): Promise<Timecard> {
  const saved = { ...card, updatedAt: latest(wholeSecond(now), card.updatedAt) };
  await updateTimecard(tx, merchant.id, saved, eventOf(ids, kind));
  return saved;
}

/** Ends the shift that the employee is on. */
export async function clockOut(
  tx: Tx,
  occasion: Occasion,
  { employeeId, at, locationId }: { employeeId: string; at: Instant; locationId: string },
): Promise<Timecard> {
  const card = await lockOpenTimecard(tx, occasion.merchant.id, employeeId);
  if (!card) throw new Refusal('WRONG_STATE', { detail: 'The employee is not clocked in.' });
  const changed = applyChanges(card, { clockoutAt: at, clockoutLocationId: locationId });
  return save(tx, occasion, changed, 'REGISTER_CLOCKOUT');
}

export async function deleteTimecard(
  { database, merchant, ids, now }: MerchantContext,
  timecardId: string,
  kind: TimecardEventKind,
): Promise<void> {
  const removal = { merchantId: merchant.id, timecardId, at: wholeSecond(now), event: eventOf(ids, kind) };
  if (!(await database.statement((tx) => moveTimecardToDeleted(tx, removal)))) throw notFound('timecard', timecardId);
}

function requireOwnPlaces(
  { clockinLocationId, clockoutLocationId }: TimecardTimes | TimecardChanges,
  merchant: Occasion['merchant'],
): void {
  if (clockinLocationId != null) requireLocationInBody(merchant, clockinLocationId, 'clockin_location_id');
  if (clockoutLocationId != null) requireLocationInBody(merchant, clockoutLocationId, 'clockout_location_id');
}
