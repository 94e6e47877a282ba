/** Weeks and days of the calendar. */
import { describe, expect, it } from 'vitest';
import { parseTime } from '../../../src/base/time.js';
import { addDays, firstOfMonth, isDay, mondayOf, todayIn, weekOf } from './days.js';

describe('days', () => {
  it('belong to the week of their Monday, which is the day itself on a Monday', () => {
    expect(['2026-03-09', '2026-03-11', '2026-03-15', '2026-03-16'].map(mondayOf)).toEqual([
      ...['2026-03-09', '2026-03-09', '2026-03-09', '2026-03-16'],
    ]);
    expect(weekOf('2025-12-29').at(-1)).toBe('2026-01-04');
  });

  it('are added across months and leap days', () => {
    expect([addDays('2028-02-28', 1), addDays('2026-03-01', -1), firstOfMonth('2026-03-31')]).toEqual([
      ...['2028-02-29', '2026-02-28', '2026-03-01'],
    ]);
  });

  it('are those of the location', () => {
    const at = parseTime('2026-03-11T03:00:00Z');
    expect(at && [todayIn('America/New_York', at), todayIn('Asia/Tokyo', at)]).toEqual(['2026-03-10', '2026-03-11']);
  });

  it('are recognized', () => {
    expect(['2026-03-11', '2026-02-30', 'today', undefined].map(isDay)).toEqual([true, false, false, false]);
  });
});
