import { describe, expect, it } from 'vitest';
import { type Instant, instant } from '../../base/time.js';
import {
  nextStatus,
  SETTLEMENT_STATUSES,
  SETTLEMENT_TRANSITIONS,
  type SettlementAction,
  type SettlementStatus,
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
