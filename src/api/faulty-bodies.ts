/** Sends the body of a response slowly, or only the half of it: faults that programs meet on bad networks (decision 0273). */
import type { FastifyReply } from 'fastify';

/** The time between two pieces of a slow body. */
const PIECE_MS = 100;

type Body = string | Uint8Array;

/** The body arrives in equal pieces, spread over the given time. Its headers arrive at once. */
export function sendSlowly(
  reply: FastifyReply,
  milliseconds: number,
  wait: (milliseconds: number) => Promise<void>,
): void {
  replaceEnd(reply, async (body, { raw }) => {
    const count = Math.max(1, Math.min(body.length, Math.ceil(milliseconds / PIECE_MS)));
    raw.flushHeaders();
    for (let piece = 0; piece < count && !raw.destroyed; piece++) {
      await wait(milliseconds / count);
      raw.write(body.subarray(partOf(body, piece, count), partOf(body, piece + 1, count)));
    }
    raw.end();
  });
}

/** The client gets the headers and the first half of the body, and then ECONNRESET. */
export function resetHalfway(reply: FastifyReply): void {
  replaceEnd(reply, async (body, { raw }) => {
    raw.write(body.subarray(0, partOf(body, 1, 2)), () => raw.socket?.resetAndDestroy());
  });
}

function partOf({ length }: Uint8Array, piece: number, count: number): number {
  return Math.floor((length * piece) / count);
}

/**
 * The framework ends every response by one call with the whole body, whoever sends it: a handler, the list of an operation or an error. So
 * compression, lengths and the log of requests are as without a fault.
 */
function replaceEnd(reply: FastifyReply, send: (body: Buffer, reply: FastifyReply) => Promise<void>): void {
  const { raw } = reply;
  const end = raw.end.bind(raw);
  const hasBody = reply.request.method !== 'HEAD';
  raw.end = ((body?: Body | null): typeof raw => {
    raw.end = end;
    if (!hasBody || body === undefined || body === null || body.length === 0) return end(body ?? '');
    void send(Buffer.from(body as Uint8Array), reply);
    return raw;
  }) as typeof raw.end;
}
