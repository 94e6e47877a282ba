import { describe, expect, it } from 'vitest';
import { realIds } from '../../base/ids.js';
import { amount } from '../../base/money.js';
import { type Instant, instant } from '../../base/time.js';
import {
  nextStatus,
  nextUsefulClose,
  SETTLEMENT_STATUSES,
  SETTLEMENT_TRANSITIONS,
  type SettlementAction,
  type SettlementStatus,
  toFailed,
  visibleFrom,
} from './model.js';

const at = (text: string): Instant => instant(Date.parse(text));

describe('SETTLEMENT_TRANSITIONS', () => {
  const cells: readonly [SettlementStatus, SettlementAction, SettlementStatus | 'refused'][] = [
    ['SENT', 'FAIL', 'FAILED'],
    ['FAILED', 'FAIL', 'refused'],
  ];

  it.each(cells)('%s and %s: %s', (status, action, expected) => {
    if (expected === 'refused') expect(() => nextStatus(status, action)).toThrow(/failed already/);
    else expect(nextStatus(status, action)).toBe(expected);
  });

  it('has no other cells', () => {
    expect(Object.keys(SETTLEMENT_TRANSITIONS)).toEqual([...SETTLEMENT_STATUSES]);
    const all = Object.entries(SETTLEMENT_TRANSITIONS).flatMap(([status, row]) =>
      Object.keys(row).map((action) => [status, action]),
    );
    expect(all).toEqual(cells.map(([status, action]) => [status, action]));
  });
});

describe('toFailed', () => {
  it('returns exactly the total, whatever its sign', () => {
    const settlement = {
      ...{ id: 'S', locationId: 'L', bankAccountId: 'B', status: 'SENT' as const, currency: 'USD', failedAt: null },
      ...{ initiatedAt: at('2020-02-21T22:00:00Z'), visibleAt: at('2020-02-22T06:00:00Z'), returnedMovementId: null },
    };
    for (const total of [amount(100), amount(-100)]) {
      const { failed, returned } = toFailed(realIds, { ...settlement, total }, instant(5));
      expect(returned).toMatchObject({
        kind: 'RETURNED_PAYOUT',
        locationId: 'L',
        currency: 'USD',
        amount: total,
        fee: 0,
      });
      expect(failed).toEqual({
        ...settlement,
        ...{ total, status: 'FAILED', failedAt: 5, returnedMovementId: returned.id },
      });
    }
  });
});

describe('visibleFrom', () => {
  it.each([
    ['the same evening', '2020-02-21T22:00:00Z', '2020-02-22T06:00:00.000Z'],
    ['at once, if initiated exactly then', '2020-02-22T06:00:00Z', '2020-02-22T06:00:00.000Z'],
    ['the next evening, a millisecond later', '2020-02-22T06:00:00.001Z', '2020-02-23T06:00:00.000Z'],
    ['an hour earlier in summer', '2020-07-01T21:00:00Z', '2020-07-02T05:00:00.000Z'],
    ['the day that summer begins', '2020-03-08T21:00:00Z', '2020-03-09T05:00:00.000Z'],
    ['the day that summer ends', '2020-11-01T22:00:00Z', '2020-11-02T06:00:00.000Z'],
    ['the end of a year', '2020-12-31T22:00:00Z', '2021-01-01T06:00:00.000Z'],
  ])('is 22:00 in Los Angeles: %s', (_, initiatedAt, expected) => {
    expect(new Date(visibleFrom(at(initiatedAt))).toISOString()).toBe(expected);
  });
});

describe('nextUsefulClose', () => {
  const CLOSED = at('2020-02-21T22:00:00Z');
  const facts = { timezone: 'America/New_York', nextWorkAt: null, nextMovementAt: null };
  const frozen = (time: string) => ({ ...facts, clock: { offsetMs: 0, frozenAt: at(time) } });
  const next = (given: Parameters<typeof nextUsefulClose>[1], real = CLOSED) => {
    const close = nextUsefulClose(CLOSED, given, real);
    return close && new Date(close).toISOString();
  };

  it('skips the days up to the time of the clock', () => {
    expect(next(frozen('2020-03-01T12:00:00Z'))).toBe('2020-03-01T22:00:00.000Z');
    const running = { ...facts, clock: { offsetMs: 3_600_000, frozenAt: null } };
    expect(next(running, at('2020-03-01T21:30:00Z'))).toBe('2020-03-02T22:00:00.000Z');
  });

  it('skips no day on which work is due or a movement occurred', () => {
    const late = frozen('2020-03-01T12:00:00Z');
    expect(next({ ...late, nextWorkAt: at('2020-02-24T12:00:00Z') })).toBe('2020-02-24T22:00:00.000Z');
    expect(next({ ...late, nextMovementAt: at('2020-02-23T12:00:00Z') })).toBe('2020-02-23T22:00:00.000Z');
  });

  it('is after the close, although work of that day is still to be done', () => {
    const late = frozen('2020-03-01T12:00:00Z');
    expect(next({ ...late, nextWorkAt: at('2020-02-20T12:00:00Z') })).toBe('2020-02-22T22:00:00.000Z');
  });

  it('ends with the last supported time', () => {
    expect(next(frozen('9999-12-31T23:00:00Z'))).toBeUndefined();
  });
});
