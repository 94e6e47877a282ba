/** `/v2/payments/` means `/v2/payments`: clients that put paths together send both. */
import type { IncomingMessage } from 'node:http';

/** The address of a request without the last slash of its path, for the published API. */
export function withoutLastSlash({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  const mark = url.indexOf('?');
  const last = (mark < 0 ? url.length : mark) - 1;
  if (url[last] !== '/' || !/^\/v[12]\/[^/]/.test(url)) return url;
  return url.slice(0, last) + url.slice(last + 1);
}
