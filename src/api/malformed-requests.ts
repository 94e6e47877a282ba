/** Requests that are not HTTP: the server responds on the socket itself, because no route and no hook runs for them. */
import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { Refusal } from '../base/errors.js';
import { JSON_TYPE } from '../base/json.js';
import { asRefusal, renderError, shapeOf } from './render-error.js';
import { securityHeaders } from './safety.js';

/** Bytes of an invalid request that are searched for its path. */
const MAX_PREFIX_LENGTH = 64;
/** The time for a client to read the error before its connection is closed. */
const CLOSE_GRACE_MS = 1_000;

type ClientError = Error & { readonly code?: string; readonly rawPacket?: unknown };

/** Responds with an error in the format of the path, and closes the connection. */
export function refuseMalformed(error: ClientError, socket: Socket, mode: Parameters<typeof securityHeaders>[1]): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const path = pathIn(error.rawPacket);
  const { status, body } = renderError(asRefusal(error) ?? new Refusal('BAD_REQUEST'), shapeOf(path));
  const headers = {
    ...securityHeaders({ path, requestId: randomUUID(), version: undefined }, mode),
    'content-type': JSON_TYPE,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} Refused\r\n${lines.join('')}\r\n${body}`);
  setTimeout(() => socket.destroy(), CLOSE_GRACE_MS).unref(); // for clients that never close their side
}

/** The path in the first line of an invalid request; empty if there is none. */
function pathIn(packet: unknown): string {
  const start = Buffer.isBuffer(packet) ? packet.toString('latin1', 0, MAX_PREFIX_LENGTH) : '';
  return /^[A-Z]+ (\/\S*)/.exec(start)?.[1] ?? '';
}
