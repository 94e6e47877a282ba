/** Sends a recorded request to this server again, with the same credential, which nobody sees on the way (decision 0164). */
import { request as openRequest } from 'node:http';
import type { Exchange } from '../api/kept-exchanges.js';
import type { RequestLog } from '../api/request-log.js';
import { headerOf, pairsOf } from './printed-exchange.js';

/** Names the first request in the second one. */
export const RESENT_HEADER = 'tillhouse-resent';

/** Headers that belong to the connection, or are computed again. */
const OMITTED = /^(?:connection|keep-alive|content-length|transfer-encoding|expect|upgrade|tillhouse-resent)$/i;

/** Returns the second exchange. A fault can reset its connection too, so it is looked up in the log. */
export async function sendAgain(exchange: Exchange, log: RequestLog, localUrl: string): Promise<Exchange | undefined> {
  const known = new Set([...(await log.newestFirst())].map(({ id }) => id));
  await send(exchange, localUrl);
  const after = [...(await log.newestFirst())];
  return after.find((each) => !known.has(each.id) && headerOf(each, RESENT_HEADER) === exchange.id);
}

function send(exchange: Exchange, localUrl: string): Promise<void> {
  const { hostname, port } = new URL(localUrl);
  const headers = [
    ...pairsOf(exchange.requestHeaders).filter(([name]) => !OMITTED.test(name)),
    [RESENT_HEADER, exchange.id],
    ...(exchange.requestBody === undefined
      ? []
      : [['content-length', String(Buffer.byteLength(exchange.requestBody))] as const]),
  ].flat();
  return new Promise((resolve) => {
    const outgoing = openRequest({ hostname, port, method: exchange.method, path: exchange.url, headers }, (response) =>
      response.resume().once('close', () => resolve()),
    );
    outgoing.once('error', () => resolve());
    outgoing.end(exchange.requestBody);
  });
}
