/** Sends a recorded request to this server again, with the same credential, which nobody sees on the way (decision 0164). */
import { request as openRequest } from 'node:http';
import type { RecordedRequest } from '../api/recorded-requests.js';
import type { RequestLog } from '../api/request-log.js';
import { RESENT_HEADER } from '../base/senders.js';
import { headerOf, pairsOf } from './printed-request.js';

/** Headers that belong to the connection, or are computed again. */
const OMITTED = /^(?:connection|keep-alive|content-length|transfer-encoding|expect|upgrade|tillhouse-resent)$/i;

/** Returns the second request. A fault can reset its connection too, so it is looked up in the log. */
export async function sendAgain(
  request: RecordedRequest,
  log: RequestLog,
  localUrl: string,
): Promise<RecordedRequest | undefined> {
  const known = new Set([...(await log.newestFirst())].map(({ id }) => id));
  await send(request, localUrl);
  const after = [...(await log.newestFirst())];
  return after.find((each) => !known.has(each.id) && headerOf(each, RESENT_HEADER) === request.id);
}

function send(request: RecordedRequest, localUrl: string): Promise<void> {
  const { hostname, port } = new URL(localUrl);
  const headers = [
    ...pairsOf(request.requestHeaders).filter(([name]) => !OMITTED.test(name)),
    [RESENT_HEADER, request.id],
    ...(request.requestBody === undefined
      ? []
      : [['content-length', String(Buffer.byteLength(request.requestBody))] as const]),
  ].flat();
  return new Promise((resolve) => {
    const outgoing = openRequest({ hostname, port, method: request.method, path: request.url, headers }, (response) =>
      response.resume().once('close', () => resolve()),
    );
    outgoing.once('error', () => resolve());
    outgoing.end(request.requestBody);
  });
}
