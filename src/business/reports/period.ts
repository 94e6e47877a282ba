/** Ranges of calendar days: their limits, the period before, and the buckets of a report in time. Pure. */
import { addDays, mondayOf, printDay, toDayNumber } from '../../base/days.js';
import { Refusal } from '../../base/errors.js';
import { parseTime } from '../../base/time.js';

/** Calendar days such as `2026-02-26`, both included. */
export interface Period {
  readonly begin: string;
  readonly end: string;
}

/** Three years. */
export const MAX_PERIOD_DAYS = 1098;
const DEFAULT_DAYS = 30;

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Reports accept no earlier or later days. */
const [FIRST_DAY, LAST_DAY] = ['1970-01-01', '9998-12-31'];

/** Unlike `parseDayRange`, refuses days outside of the time of reports. */
function parseReportDay(text: string, field: string): string {
  const isDay = DATE.test(text) && parseTime(text) !== undefined && text >= FIRST_DAY && text <= LAST_DAY;
  if (isDay) return text;
  throw new Refusal('INVALID_VALUE', {
    field,
    detail: `${field} must be a day such as 2026-02-26, from ${FIRST_DAY} on.`,
  });
}

/** By default the last 30 days until today. */
export function parsePeriod(
  { begin_date, end_date }: { readonly begin_date?: string | undefined; readonly end_date?: string | undefined },
  today: string,
): Period {
  const end = end_date === undefined ? today : parseReportDay(end_date, 'end_date');
  const begin = begin_date === undefined ? addDays(end, 1 - DEFAULT_DAYS) : parseReportDay(begin_date, 'begin_date');
  if (end < begin)
    throw new Refusal('INVALID_TIME_RANGE', { field: 'end_date', detail: 'end_date is before begin_date.' });
  if (daysIn({ begin, end }) > MAX_PERIOD_DAYS) {
    const detail = `A report covers at most ${MAX_PERIOD_DAYS} days.`;
    throw new Refusal('VALUE_TOO_HIGH', { field: 'begin_date', detail });
  }
  return { begin, end };
}

export function daysIn({ begin, end }: Period): number {
  return toDayNumber(end) - toDayNumber(begin) + 1;
}

/** The period of the same length before this one. Before whole months it is as many whole months. */
export function periodBefore(period: Period): Period {
  const end = addDays(period.begin, -1);
  const isWholeMonths = period.begin.endsWith('-01') && addDays(period.end, 1).endsWith('-01');
  if (!isWholeMonths) return { begin: addDays(period.begin, -daysIn(period)), end };
  const months = bucketsOf('MONTH', period).length;
  return { begin: `${addMonths(period.begin.slice(0, 7), -months)}-01`, end };
}

function addMonths(month: string, months: number): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  const count = year * 12 + number - 1 + months;
  return `${String(Math.floor(count / 12)).padStart(4, '0')}-${String((count % 12) + 1).padStart(2, '0')}`;
}

export type TimeGroup = 'DAY' | 'WEEK' | 'MONTH' | 'HOUR';

/** All keys of a grouping in time, in order. A bucket without sales is a row too. */
export function bucketsOf(group: TimeGroup, { begin, end }: Period): string[] {
  if (group === 'HOUR') return Array.from({ length: 24 }, (_, hour) => String(hour));
  const first = toDayNumber(begin);
  const days = Array.from({ length: daysIn({ begin, end }) }, (_, index) => first + index);
  if (group === 'DAY') return days.map(printDay);
  const keyOf = (day: number) => (group === 'MONTH' ? printDay(day).slice(0, 7) : printDay(mondayOf(day)));
  return [...new Set(days.map(keyOf))];
}
