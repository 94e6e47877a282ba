/** Groups the totals of days by day, week, month or location. Pure. */
import { mondayOf, printDay } from '../../base/days.js';
import { addSums, type ReportLine, type Sums } from './model.js';

/** The sums of one day at one location. */
export interface DayTotal {
  readonly locationId: string;
  /** Days since 1970-01-01. */
  readonly dayNumber: number;
  readonly sums: Sums;
}

/** Groupings that are sums of whole days. */
export type DayGroup = 'DAY' | 'WEEK' | 'MONTH' | 'LOCATION';

export function isOfDays(group: string): group is DayGroup {
  return group === 'DAY' || group === 'WEEK' || group === 'MONTH' || group === 'LOCATION';
}

export function toGroups(days: readonly DayTotal[], group: DayGroup): ReportLine[] {
  const groups = new Map<string, ReportLine>();
  for (const day of days) {
    const key = keyOf(day, group);
    const known = groups.get(key);
    groups.set(key, { key, name: null, ...(known ? addSums([known, day.sums]) : day.sums) });
  }
  return [...groups.values()];
}

function keyOf({ locationId, dayNumber }: DayTotal, group: DayGroup): string {
  if (group === 'LOCATION') return locationId;
  const text = printDay(group === 'WEEK' ? mondayOf(dayNumber) : dayNumber);
  return group === 'MONTH' ? text.slice(0, 7) : text;
}
