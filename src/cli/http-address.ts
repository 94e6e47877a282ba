/** Reads addresses from flags. */
import { UsageError } from '../base/config.js';

/** Without a scheme it is http, and a number alone is a port of this machine. */
export function toHttpAddress(given: string, flag: string): string {
  const address = /^\d+(?:\/|$)/.test(given) ? `localhost:${given}` : given;
  const url = /^[a-z][a-z\d+.-]*:\/\//i.test(address) ? address : `http://${address}`;
  if (URL.canParse(url) && /^https?:/i.test(url)) return url;
  throw new UsageError(`${flag} must be an http or https address, not '${given}'.`);
}
