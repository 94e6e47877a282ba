/** Defines timecards, their events, and the state table of contract 3. */
import { Refusal } from '../../base/errors.js';
import { type Instant, wholeSecond } from '../../base/time.js';

export interface Timecard {
  readonly id: string;
  readonly employeeId: string;
  readonly clockinAt: Instant;
  readonly clockoutAt: Instant | null;
  readonly clockinLocationId: string | null;
  readonly clockoutLocationId: string | null;
  readonly deleted: boolean;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export const TIMECARD_EVENT_KINDS = [
  'API_CREATE',
  'API_EDIT',
  'API_DELETE',
  'REGISTER_CLOCKIN',
  'REGISTER_CLOCKOUT',
  'DASHBOARD_SUPERVISOR_CLOSE',
  'DASHBOARD_EDIT',
  'DASHBOARD_DELETE',
] as const;

export type TimecardEventKind = (typeof TIMECARD_EVENT_KINDS)[number];

export interface TimecardEvent {
  readonly timecardId: string;
  readonly id: string;
  readonly kind: TimecardEventKind;
  readonly clockinAt: Instant;
  readonly clockoutAt: Instant | null;
  readonly createdAt: Instant;
}

/** An event has the times of the timecard after it. */
export function eventOf(
  { id: timecardId, clockinAt, clockoutAt, updatedAt: createdAt }: Timecard,
  event: Pick<TimecardEvent, 'id' | 'kind'>,
): TimecardEvent {
  return { timecardId, ...event, clockinAt, clockoutAt, createdAt };
}

export type TimecardState = 'CLOCKED_IN' | 'CLOCKED_OUT' | 'DELETED';
/** CLOSE is a clock-out by a supervisor, for an employee who forgot to clock out. */
export type TimecardAction = 'EDIT' | 'CLOCK_OUT' | 'CLOSE' | 'DELETE';

const DELETED = { refused: 'A deleted timecard cannot be modified.' };
const CLOCKED_OUT = { refused: 'The employee has already clocked out of this timecard.' };

/** For each state and action: the next state, or the detail of the refusal. */
export const TIMECARD_TRANSITIONS: Readonly<
  Record<TimecardState, Readonly<Record<TimecardAction, TimecardState | { readonly refused: string }>>>
> = {
  CLOCKED_IN: { EDIT: 'CLOCKED_IN', CLOCK_OUT: 'CLOCKED_OUT', CLOSE: 'CLOCKED_OUT', DELETE: 'DELETED' },
  CLOCKED_OUT: { EDIT: 'CLOCKED_OUT', CLOCK_OUT: 'CLOCKED_OUT', CLOSE: CLOCKED_OUT, DELETE: 'DELETED' },
  // Deleting twice is permitted (decision 0021).
  DELETED: { EDIT: DELETED, CLOCK_OUT: DELETED, CLOSE: DELETED, DELETE: 'DELETED' },
};

export function stateOf({ deleted, clockoutAt }: Pick<Timecard, 'deleted' | 'clockoutAt'>): TimecardState {
  if (deleted) return 'DELETED';
  return clockoutAt === null ? 'CLOCKED_IN' : 'CLOCKED_OUT';
}

/** Fields that can be changed. Absent means unchanged, so a closed card cannot be reopened (decision 0021). */
export interface TimecardChanges {
  /** Must be the employee of the card: the hours of one person never become those of another (decision 0021). */
  readonly employeeId?: string | undefined;
  readonly clockinAt?: Instant | undefined;
  readonly clockoutAt?: Instant | undefined;
  readonly clockinLocationId?: string | undefined;
  readonly clockoutLocationId?: string | undefined;
}

export type TimecardTimes = Pick<Timecard, 'clockinAt' | 'clockoutAt' | 'clockinLocationId' | 'clockoutLocationId'>;

export function requireOrderedTimes({ clockinAt, clockoutAt, clockoutLocationId }: TimecardTimes): void {
  if (clockoutAt !== null && clockoutAt < clockinAt) {
    throw new Refusal('INVALID_VALUE', { field: 'clockout_time', detail: 'clockout_time is before clockin_time.' });
  }
  if (clockoutAt === null && clockoutLocationId !== null) {
    throw new Refusal('INVALID_VALUE', {
      field: 'clockout_location_id',
      detail: 'clockout_location_id requires clockout_time.',
    });
  }
}

/** Returns the card with the changes. Throws a refusal if the state or the resulting times do not permit them. */
export function applyChanges(
  card: Timecard,
  changes: TimecardChanges,
  action: TimecardAction = changes.clockoutAt === undefined ? 'EDIT' : 'CLOCK_OUT',
): Timecard {
  requireSameEmployee(card, changes);
  const next = TIMECARD_TRANSITIONS[stateOf(card)][action];
  if (typeof next === 'object') throw new Refusal('WRONG_STATE', { detail: next.refused });
  const changed: Timecard = {
    ...card,
    clockinAt: changes.clockinAt ?? card.clockinAt,
    clockoutAt: changes.clockoutAt ?? card.clockoutAt,
    clockinLocationId: changes.clockinLocationId ?? card.clockinLocationId,
    clockoutLocationId: changes.clockoutLocationId ?? card.clockoutLocationId,
  };
  requireOrderedTimes(changed);
  return changed;
}

/**
 * When a clock-out ends a card. A clock-in may still be to come (decision 0021): such a card ends when it begins, or its employee could not
 * be clocked out before that time. `at` is now, or earlier at a register that was offline.
 */
export function endOf({ clockinAt }: Timecard, at: Instant, now: Instant): Instant {
  return wholeSecond(clockinAt > now ? clockinAt : at);
}

function requireSameEmployee(card: Timecard, { employeeId }: TimecardChanges): void {
  if (employeeId === undefined || employeeId.toLowerCase() === card.employeeId) return;
  throw new Refusal('INVALID_VALUE', {
    field: 'employee_id',
    detail: 'A timecard stays with its employee. Delete it, and create one for the other employee.',
  });
}

/** An employee with a list of locations can clock in and out only there. An empty list permits all locations. */
export function requireAuthorizedLocations(
  { clockinLocationId, clockoutLocationId }: TimecardTimes,
  authorized: readonly string[],
): void {
  if (authorized.length === 0) return;
  for (const [field, location] of [
    ['clockin_location_id', clockinLocationId],
    ['clockout_location_id', clockoutLocationId],
  ] as const) {
    if (location !== null && !authorized.includes(location)) {
      throw new Refusal('INVALID_VALUE', { field, detail: 'The employee is not authorized at this location.' });
    }
  }
}

/** Sort orders of the search for shifts. */
export const SHIFT_SORT_FIELDS = ['START_AT', 'END_AT', 'CREATED_AT', 'UPDATED_AT'] as const;
export type LaborShiftSortField = (typeof SHIFT_SORT_FIELDS)[number];

/** The part of a shift that must be within the requested days. */
export const WORKDAY_MATCHERS = ['START_AT', 'END_AT', 'INTERSECTION'] as const;
export type WorkdayMatcher = (typeof WORKDAY_MATCHERS)[number];

/** What an employee worked on one day of a location's calendar. A timecard that spans midnight counts on both days. */
export interface WorkedDay {
  readonly employeeId: string;
  /** Such as `2020-02-24`. */
  readonly day: string;
  readonly workedMs: number;
  /** An open timecard is part of it. */
  readonly isClockedIn: boolean;
}
