/** The time of day to the second, which is what matters between requests. */
import { printTime } from '../../ui/time.js';

const format = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });

export function ClockTime({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={printTime(at, 'full')} style={{ whiteSpace: 'nowrap' }}>
      {format.format(Date.parse(at))}
    </time>
  );
}
