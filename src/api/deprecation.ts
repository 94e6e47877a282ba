/** The deprecation headers of an operation (decision 0017). */
import { parseTime } from '../base/time.js';
import type { Operation } from './operation.js';

export function deprecationHeaders(deprecated: Operation['deprecated']): Readonly<Record<string, string>> {
  if (!deprecated) return {};
  const [since, retired] = [parseTime(deprecated.since), parseTime(deprecated.retired)];
  if (since === undefined || retired === undefined) throw new Error('a deprecated operation needs two dates');
  return {
    deprecation: `@${since / 1000}`, // RFC 9745: a structured-field date
    sunset: new Date(retired).toUTCString(), // RFC 8594: an HTTP date
  };
}
