/** Parses and checks the URLs of receivers, and keeps connections to them open. */
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import type { Reach } from '../base/config.js';
import { lookupFor, refusalOf } from './addresses.js';

/** Shorter than many receivers keep a connection: 5 s is the default of Node.js. */
const IDLE_CONNECTION_MS = 4000;
/** A receiver gets many messages. Parsing its URL for each one took a tenth of the time of a message. */
const MAX_CACHED = 1000;

export interface Destination {
  readonly request: (options: RequestOptions) => ClientRequest;
  readonly options: RequestOptions;
  /** Why nothing may be sent to the URL; undefined if it is allowed. The addresses of a name are checked at the connection. */
  readonly refusal: string | undefined;
}

export interface Destinations {
  find(url: string): Destination;
  /** Closes all connections, including those in use. */
  close(): void;
}

export function openDestinations(reach: Reach): Destinations {
  const options = { keepAlive: true, timeout: IDLE_CONNECTION_MS, maxSockets: Number.POSITIVE_INFINITY };
  const [http, https] = [new HttpAgent(options), new HttpsAgent(options)];
  const lookup = lookupFor(reach.mode);
  const cached = new Map<string, Destination>();

  const parse = (text: string): Destination => {
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
      const found = cached.get(url);
      if (found) return found;
      if (cached.size >= MAX_CACHED) cached.clear();
      const destination = parse(url);
      cached.set(url, destination);
      return destination;
    },
    close() {
      http.destroy();
      https.destroy();
    },
  };
}
