import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Refusal } from '../../base/errors.js';
import { instant } from '../../base/time.js';
import {
  applyChanges,
  requireAuthorizedLocations,
  requireOrderedTimes,
  stateOf,
  TIMECARD_EVENT_KINDS,
  TIMECARD_TRANSITIONS,
  type Timecard,
  type TimecardAction,
  type TimecardChanges,
  type TimecardState,
} from './model.js';

const hour = (count: number) => instant(count * 3_600_000);

const open: Timecard = {
  id: 'card',
  employeeId: 'employee',
  clockinAt: hour(9),
  clockoutAt: null,
  clockinLocationId: null,
  clockoutLocationId: null,
  deleted: false,
  createdAt: hour(9),
  updatedAt: hour(9),
};
const closed: Timecard = { ...open, clockoutAt: hour(17) };

function refusalOf(work: () => unknown): { reason: string; field: string | undefined; message: string } | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { reason, field, message } = error;
    return { reason, field, message };
  }
}

/** Contract 3 and decision 0021, written independently of the model: the next state, or a part of the refusal. */
const TABLE: Record<TimecardState, Record<TimecardAction, TimecardState | RegExp>> = {
  CLOCKED_IN: { EDIT: 'CLOCKED_IN', CLOCK_OUT: 'CLOCKED_OUT', CLOSE: 'CLOCKED_OUT', DELETE: 'DELETED' },
  CLOCKED_OUT: { EDIT: 'CLOCKED_OUT', CLOCK_OUT: 'CLOCKED_OUT', CLOSE: /clocked out/, DELETE: 'DELETED' },
  DELETED: { EDIT: /deleted/, CLOCK_OUT: /deleted/, CLOSE: /deleted/, DELETE: 'DELETED' },
};

const STATES: Record<TimecardState, readonly Timecard[]> = {
  CLOCKED_IN: [open],
  CLOCKED_OUT: [closed],
  DELETED: [
    { ...open, deleted: true },
    { ...closed, deleted: true },
  ],
};

/** Changes of each action. DELETE changes no time. */
const CHANGES: Record<TimecardAction, TimecardChanges> = {
  EDIT: { clockinAt: hour(8) },
  CLOCK_OUT: { clockoutAt: hour(18) },
  CLOSE: { clockoutAt: hour(18) },
  DELETE: {},
};

const cells = Object.entries(TABLE).flatMap(([state, row]) =>
  Object.entries(row).map(([action, next]) => ({
    state: state as TimecardState,
    action: action as TimecardAction,
    next,
  })),
);

describe('the state table of timecards', () => {
  it('has three states, four actions, and no other cell (contract 3)', () => {
    const sizes = Object.entries(TIMECARD_TRANSITIONS).map(([state, row]) => [state, Object.keys(row).sort()]);
    const actions = ['CLOCK_OUT', 'CLOSE', 'DELETE', 'EDIT'];
    expect(sizes).toEqual([
      ['CLOCKED_IN', actions],
      ['CLOCKED_OUT', actions],
      ['DELETED', actions],
    ]);
    expect(cells).toHaveLength(12);
  });

  it.each(cells)('$state + $action -> $next', ({ state, action, next }) => {
    const cell = TIMECARD_TRANSITIONS[state][action];
    if (next instanceof RegExp) expect(cell).toEqual({ refused: expect.stringMatching(next) });
    else expect(cell).toBe(next);
  });

  it.each(cells.filter(({ action }) => action !== 'DELETE'))('applyChanges follows it: $state + $action', (cell) => {
    for (const card of STATES[cell.state]) {
      const act = () => applyChanges(card, CHANGES[cell.action], cell.action);
      if (cell.next instanceof RegExp) {
        expect(refusalOf(act)).toMatchObject({
          reason: 'WRONG_STATE',
          message: expect.stringMatching(cell.next),
        });
      } else {
        expect(stateOf(act())).toBe(cell.next);
      }
    }
  });

  it.each(Object.entries(STATES))('%s is derived from the card alone', (state, cards) => {
    expect(cards.map(stateOf)).toEqual(cards.map(() => state));
  });
});

describe('applyChanges', () => {
  it('is a clock-out if clockoutAt is given, otherwise an edit', () => {
    expect(applyChanges(open, { clockoutAt: hour(17) })).toEqual(closed);
    expect(applyChanges(open, { clockinAt: hour(8) })).toEqual({ ...open, clockinAt: hour(8) });
    expect(refusalOf(() => applyChanges(closed, { clockoutAt: hour(18) }))).toBeUndefined();
    expect(refusalOf(() => applyChanges(closed, { clockoutAt: hour(18) }, 'CLOSE'))?.reason).toBe('WRONG_STATE');
  });

  it('changes all four fields, and nothing else', () => {
    const changes = { clockinAt: hour(1), clockoutAt: hour(2), clockinLocationId: 'A', clockoutLocationId: 'B' };
    expect(applyChanges(open, changes)).toEqual({ ...open, ...changes });
  });

  it('returns an equal card if no change is given, or only values that it already has', () => {
    for (const card of [open, closed, { ...closed, clockinLocationId: 'A', clockoutLocationId: 'B' }]) {
      expect(applyChanges(card, {})).toEqual(card);
      const { clockinAt, clockoutAt, clockinLocationId, clockoutLocationId } = card;
      const again = applyChanges(card, {
        clockinAt,
        clockoutAt: clockoutAt ?? undefined,
        clockinLocationId: clockinLocationId ?? undefined,
        clockoutLocationId: clockoutLocationId ?? undefined,
      });
      expect(again).toEqual(card);
    }
  });

  it('refuses another employee before the state of the card, and accepts its own in any case', () => {
    for (const card of [open, { ...open, deleted: true }]) {
      expect(refusalOf(() => applyChanges(card, { employeeId: 'other' }))).toMatchObject({
        reason: 'INVALID_VALUE',
        field: 'employee_id',
      });
    }
    expect(applyChanges(open, { employeeId: 'EMPLOYEE' })).toEqual(open);
  });

  it('checks the order of the times after the change, not before', () => {
    expect(applyChanges(closed, { clockinAt: hour(20), clockoutAt: hour(21) }).clockinAt).toBe(hour(20));
    expect(refusalOf(() => applyChanges(closed, { clockinAt: hour(20) }))?.field).toBe('clockout_time');
    expect(refusalOf(() => applyChanges(open, { clockoutAt: hour(8) }))?.field).toBe('clockout_time');
    expect(refusalOf(() => applyChanges(open, { clockoutLocationId: 'A' }))?.field).toBe('clockout_location_id');
  });

  it('never reopens a closed card, applies each given value, and keeps the others (decision 0021)', () => {
    const time = fc.option(fc.integer({ min: 0, max: 30 }).map(hour), { nil: undefined });
    const place = fc.option(fc.constantFrom('A', 'B'), { nil: undefined });
    const changes = fc.record({
      clockinAt: time,
      clockoutAt: time,
      clockinLocationId: place,
      clockoutLocationId: place,
    });
    fc.assert(
      fc.property(fc.constantFrom(open, closed), changes, (card, given) => {
        const clockinAt = given.clockinAt ?? card.clockinAt;
        const clockoutAt = given.clockoutAt ?? card.clockoutAt;
        const wrong =
          (clockoutAt !== null && clockoutAt < clockinAt) ||
          (clockoutAt === null && given.clockoutLocationId !== undefined);
        if (wrong) {
          expect(refusalOf(() => applyChanges(card, given))?.reason).toBe('INVALID_VALUE');
          return;
        }
        expect(applyChanges(card, given)).toEqual({
          ...card,
          clockinAt,
          clockoutAt,
          clockinLocationId: given.clockinLocationId ?? null,
          clockoutLocationId: given.clockoutLocationId ?? null,
        });
      }),
    );
  });
});

describe('requireOrderedTimes', () => {
  const times = { clockinAt: hour(9), clockinLocationId: null, clockoutLocationId: null };

  it('accepts no clock-out, a later one, and one at the same time', () => {
    for (const clockoutAt of [null, hour(10), hour(9)]) {
      expect(refusalOf(() => requireOrderedTimes({ ...times, clockoutAt }))).toBeUndefined();
    }
  });

  it('refuses a clock-out a millisecond too early, naming clockout_time', () => {
    const clockoutAt = instant(hour(9) - 1);
    expect(refusalOf(() => requireOrderedTimes({ ...times, clockoutAt }))).toMatchObject({
      reason: 'INVALID_VALUE',
      field: 'clockout_time',
    });
  });

  it('refuses a clock-out location without a clock-out time, naming clockout_location_id', () => {
    const given = { ...times, clockoutAt: null, clockoutLocationId: 'A' };
    expect(refusalOf(() => requireOrderedTimes(given))).toMatchObject({
      reason: 'INVALID_VALUE',
      field: 'clockout_location_id',
    });
    expect(refusalOf(() => requireOrderedTimes({ ...given, clockoutAt: hour(9) }))).toBeUndefined();
  });
});

describe('requireAuthorizedLocations', () => {
  it('accepts any location for an employee without a list', () => {
    const card = { ...closed, clockinLocationId: 'A', clockoutLocationId: 'B' };
    expect(refusalOf(() => requireAuthorizedLocations(card, []))).toBeUndefined();
  });

  it('names the first location that is not in the list', () => {
    const at = (clockinLocationId: string | null, clockoutLocationId: string | null) =>
      refusalOf(() => requireAuthorizedLocations({ ...closed, clockinLocationId, clockoutLocationId }, ['A']))?.field;
    expect(at('A', 'A')).toBeUndefined();
    expect(at(null, null)).toBeUndefined();
    expect(at('B', 'A')).toBe('clockin_location_id');
    expect(at('A', 'B')).toBe('clockout_location_id');
    expect(at('B', 'B')).toBe('clockin_location_id');
  });
});

describe('the kinds of events', () => {
  it('are the eight of the API (contract 22.3)', () => {
    expect([...TIMECARD_EVENT_KINDS].sort()).toEqual([
      'API_CREATE',
      'API_DELETE',
      'API_EDIT',
      'DASHBOARD_DELETE',
      'DASHBOARD_EDIT',
      'DASHBOARD_SUPERVISOR_CLOSE',
      'REGISTER_CLOCKIN',
      'REGISTER_CLOCKOUT',
    ]);
  });
});
