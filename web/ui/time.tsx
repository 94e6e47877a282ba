/** Prints times in the time zone of a location, wherever the reader is. */
import { parseTime } from '../../src/base/time.js';

const formats = new Map<string, Intl.DateTimeFormat>();

type Style = 'day' | 'weekday' | 'date' | 'time' | 'both' | 'long' | 'full';

const STYLES: Readonly<Record<Style, Intl.DateTimeFormatOptions>> = {
  day: { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
  weekday: { weekday: 'short', day: 'numeric', month: 'short' },
  date: { day: 'numeric', month: 'short', year: 'numeric' },
  time: { hour: '2-digit', minute: '2-digit' },
  both: { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
  long: { dateStyle: 'medium', timeStyle: 'short' },
  full: { dateStyle: 'full', timeStyle: 'long' },
};
/** The styles for times in another year than this one. */
const WITH_YEAR: Partial<Readonly<Record<Style, Style>>> = { both: 'long', weekday: 'day' };

function formatOf(style: Style | 'year', timezone: string | undefined): Intl.DateTimeFormat {
  const key = `${style} ${timezone}`;
  const options: Intl.DateTimeFormatOptions = style === 'year' ? { year: 'numeric' } : STYLES[style];
  const format = formats.get(key) ?? new Intl.DateTimeFormat(undefined, { ...options, timeZone: timezone });
  formats.set(key, format);
  return format;
}

function isThisYear(at: number, timezone: string | undefined): boolean {
  const year = formatOf('year', timezone);
  return year.format(at) === year.format(Date.now());
}

/** The default time zone is that of the browser, for what happens to the owner and not at a location. */
export function printTime(time: string, style: Style, timezone?: string): string {
  const at = parseTime(time);
  if (at === undefined) return time;
  const withYear = WITH_YEAR[style];
  return formatOf(withYear && !isThisYear(at, timezone) ? withYear : style, timezone).format(at);
}

interface MomentProps {
  readonly at: string;
  readonly timezone?: string | undefined;
  readonly style?: Style;
}

/** The title has the whole time with its zone. */
export function Moment({ at, timezone, style = 'both' }: MomentProps) {
  return (
    <time dateTime={at} title={printTime(at, 'full', timezone)}>
      {printTime(at, style, timezone)}
    </time>
  );
}

/** `27900` seconds are `7 h 45`. */
export function printHours(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')}`;
}
