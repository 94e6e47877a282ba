/** How each receiver is reached: what its address says, whether it may be called, and connections that are used again. */
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import type { Reach } from '../base/config.js';
import { lookupFor, refusalOf } from './addresses.js';

const IDLE_CONNECTION_MS = 5000;
/** A receiver is told one message after the other: reading its address anew each time cost a tenth of a message. */
const MAX_CACHED = 1000;

export interface Destination {
  readonly request: (options: RequestOptions) => ClientRequest;
  readonly options: RequestOptions;
  /** Why it may not be called, where that is known before. What a name leads to is checked when it is connected to. */
  readonly refusal: string | undefined;
}

export interface Destinations {
  find(url: string): Destination;
  /** Breaks every connection, also those in use. */
  close(): void;
}

export function openDestinations(reach: Reach): Destinations {
  const keeping = { keepAlive: true, timeout: IDLE_CONNECTION_MS, maxSockets: Number.POSITIVE_INFINITY };
  const [http, https] = [new HttpAgent(keeping), new HttpsAgent(keeping)];
  const lookup = lookupFor(reach.mode);
  const known = new Map<string, Destination>();

  const read = (text: string): Destination => {
    const url = new URL(text);
    const { protocol, hostname, port, path } = urlToHttpOptions(url);
    const isSecure = protocol === 'https:';
    return {
      request: isSecure ? httpsRequest : httpRequest,
      options: { protocol, hostname, port, path, method: 'POST', agent: isSecure ? https : http, lookup },
      refusal: refusalOf(url, reach),
    };
  };

  return {
    find(url) {
      const found = known.get(url);
      if (found) return found;
      if (known.size >= MAX_CACHED) known.clear();
      const destination = read(url);
      known.set(url, destination);
      return destination;
    },
    close() {
      http.destroy();
      https.destroy();
    },
  };
}
