/** Parses and prints timestamps in the formats that clients use, and adds ISO 8601 durations. */

declare const instantBrand: unique symbol;

/** A point in time: milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number & { readonly [instantBrand]: true };

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;

/** The years 1 to 9999: they fit in four digits and in the database. */
export const FIRST_INSTANT = -62_135_596_800_000 as Instant;
export const LAST_INSTANT = 253_402_300_799_999 as Instant;

export function instant(milliseconds: number): Instant {
  if (!Number.isSafeInteger(milliseconds)) throw new RangeError(`not a point in time: ${milliseconds}`);
  return milliseconds as Instant;
}

export function latest(...times: readonly [Instant, ...Instant[]]): Instant {
  return instant(Math.max(...times));
}

const CALENDAR_DATE = /^(\d{4})-?(\d{2})-?(\d{2})$/;
const WEEK_DATE = /^(\d{4})-?[Ww](\d{2})-?([1-7])$/;
const ORDINAL_DATE = /^(\d{4})-?(\d{3})$/;

// The fraction belongs to the smallest unit that is given. A space counts as '+': an unescaped '+' in a query string is
// decoded as a space.
const TIME_OF_DAY = /^(\d{2})(?::?(\d{2})(?::?(\d{2}))?)?(?:[.,](\d+))?(?:[Zz]|([+\- ])(\d{2})(?::?(\d{2}))?)?$/;

/** Accepts every form of ISO 8601 that says a point in time. A time without a zone is UTC (decision 0010). */
export function parseTime(text: string): Instant | undefined {
  const [, date = '', clock] = /^([^Tt ]*)(?:[Tt ](.*))?$/.exec(text) ?? [];
  const day = parseDate(date);
  const inDay = clock === undefined ? 0 : parseTimeOfDay(clock);
  return day === undefined || inDay === undefined ? undefined : toInstantInRange(day + inDay);
}

/** The midnight of a day in UTC. */
function parseDate(text: string): number | undefined {
  const numbers = (CALENDAR_DATE.exec(text) ?? WEEK_DATE.exec(text) ?? ORDINAL_DATE.exec(text) ?? [])
    .slice(1)
    .map(Number);
  const [year = 0, second = 0, third] = numbers;
  if (year < 1) return undefined;
  if (third === undefined) return second >= 1 && second <= daysInYear(year) ? utc(year, 1, second) : undefined;
  if (WEEK_DATE.test(text)) return parseWeekDate(year, second, third);
  const exists = second >= 1 && second <= 12 && third >= 1 && third <= daysInMonth(year, second);
  return exists ? utc(year, second, third) : undefined;
}

/** Most years have 52 weeks. The first one has 4 January in it, and weeks begin on Monday. */
function parseWeekDate(year: number, week: number, day: number): number | undefined {
  const weeks = (firstMonday(year + 1) - firstMonday(year)) / WEEK_MS;
  return week >= 1 && week <= weeks ? firstMonday(year) + (week - 1) * WEEK_MS + (day - 1) * DAY_MS : undefined;
}

function firstMonday(year: number): number {
  const day = utc(year, 1, 4);
  return day - ((new Date(day).getUTCDay() + 6) % 7) * DAY_MS;
}

/** The milliseconds since midnight in UTC, which another zone moves to another day. 24:00 is the end of the day. */
function parseTimeOfDay(text: string): number | undefined {
  const match = TIME_OF_DAY.exec(text);
  if (!match) return undefined;
  const part = (index: number): number => Number(match[index] ?? 0);
  const [hour, minute, second, offsetHour, offsetMinute] = [part(1), part(2), part(3), part(6), part(7)];
  // Second 60 is a leap second: the clock of this server shows it as the next second.
  if (minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59) return undefined;
  const unit = match[3] !== undefined ? SECOND_MS : match[2] !== undefined ? MINUTE_MS : HOUR_MS;
  const local = hour * HOUR_MS + minute * MINUTE_MS + second * SECOND_MS + fractionOf(unit, match[4] ?? '');
  if (hour > 23 && local !== DAY_MS) return undefined;
  return local - (offsetHour * HOUR_MS + offsetMinute * MINUTE_MS) * (match[5] === '-' ? -1 : 1);
}

/** Whole milliseconds, rounded down. More than nine digits of an hour change nothing, and a floating-point number cannot keep them. */
function fractionOf(unit: number, all: string): number {
  const digits = all.slice(0, 9);
  return Math.floor((unit * Number(digits)) / 10 ** digits.length);
}

function toInstantInRange(milliseconds: number): Instant | undefined {
  return milliseconds >= FIRST_INSTANT && milliseconds <= LAST_INSTANT ? instant(milliseconds) : undefined;
}

/** Unlike `Date.UTC`, does not read the years 0 to 99 as 1900 to 1999. */
function utc(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day);
}

function daysInYear(year: number): number {
  return (utc(year + 1, 1, 1) - utc(year, 1, 1)) / DAY_MS;
}

function daysInMonth(year: number, month: number): number {
  return new Date(utc(year, month + 1, 0)).getUTCDate();
}

// Neighbouring rows of a list often share the day, and printing the day is the expensive part.
let lastDay = Number.NaN;
let lastDate = '';

/** The time up to the second, as `2020-02-26T10:00:00`, and its milliseconds. */
function printParts(time: Instant): [seconds: string, milliseconds: number] {
  const day = Math.floor(time / DAY_MS);
  if (day !== lastDay) {
    lastDate = new Date(time).toISOString().slice(0, -13);
    lastDay = day;
  }
  const inDay = time - day * DAY_MS;
  const second = Math.floor(inDay / SECOND_MS);
  const minute = Math.floor(second / 60);
  const clock = `${two(Math.floor(minute / 60))}:${two(minute % 60)}:${two(second % 60)}`;
  return [lastDate + clock, inDay - second * SECOND_MS];
}

function two(value: number): string {
  return value < 10 ? `0${value}` : `${value}`;
}

/** `2020-02-26T10:00:00Z`: the format of v1, and of v2 employees and locations. */
export function printSeconds(time: Instant): string {
  return `${printParts(time)[0]}Z`;
}

/** `2020-02-26T10:00:00.154Z`: the format of v2 payments, refunds and cash drawers. */
export function printMilliseconds(time: Instant): string {
  const [seconds, milliseconds] = printParts(time);
  return `${seconds}.${milliseconds < 100 ? `0${two(milliseconds)}` : milliseconds}Z`;
}

/** Times that v1 shows in whole seconds are also stored in whole seconds (decision 0010). */
export function wholeSecond(time: Instant): Instant {
  return instant(Math.floor(time / SECOND_MS) * SECOND_MS);
}

const DURATION = /^P(?!$)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?!$)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/;

/**
 * Adds an ISO 8601 duration such as `P61D` or `PT36H`. Years and months follow the calendar in UTC; a day that the target
 * month does not have becomes its last day. Returns undefined if the text is no duration or the sum is after the year 9999.
 */
export function addDuration(time: Instant, duration: string): Instant | undefined {
  const match = DURATION.exec(duration);
  if (!match) return undefined;
  const part = (index: number): number => Number(match[index] ?? 0);
  const date = new Date(time);
  const months = date.getUTCFullYear() * 12 + date.getUTCMonth() + part(1) * 12 + part(2);
  const [year, month] = [Math.floor(months / 12), (months % 12) + 1];
  date.setUTCFullYear(year, month - 1, Math.min(date.getUTCDate(), daysInMonth(year, month)));
  const days = part(3) * 7 + part(4);
  const seconds = (part(5) * 60 + part(6)) * 60 + part(7);
  return toInstantInRange(date.getTime() + days * DAY_MS + seconds * SECOND_MS);
}

/** The same day of the next year. 29 February becomes 1 March (decision 0011). */
export function yearAfter(time: Instant): Instant {
  const date = new Date(time);
  return instant(date.setUTCFullYear(date.getUTCFullYear() + 1));
}

/** The same day of the year before. 29 February becomes 28 February (decision 0011). */
export function yearBefore(time: Instant): Instant {
  const date = new Date(time);
  const [year, month] = [date.getUTCFullYear() - 1, date.getUTCMonth()];
  return instant(date.setUTCFullYear(year, month, Math.min(date.getUTCDate(), daysInMonth(year, month + 1))));
}
