/** Reads pairs of time parameters as ranges. */
import { Refusal } from '../base/errors.js';
import { type Instant, parseTime } from '../base/time.js';
import type { TimeRange } from '../database/keyset.js';

/** Both sides are optional; an end before the beginning is a mistake worth naming. */
export function readRange<Name extends string>(
  query: { readonly [Key in Name]?: string | undefined },
  beginName: Name,
  endName: Name,
): TimeRange {
  const [begin, end] = [readTime(query[beginName]), readTime(query[endName])];
  if (begin !== undefined && end !== undefined && end < begin) {
    throw new Refusal('INVALID_TIME_RANGE', { field: endName, detail: `${endName} lies before ${beginName}.` });
  }
  return { begin, end };
}

function readTime(text: string | undefined): Instant | undefined {
  return text === undefined ? undefined : parseTime(text);
}
