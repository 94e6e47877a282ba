/** Compressed responses: which content coding a client prefers, and how a response is sent in it (decision 0188). */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply } from 'fastify';

declare module 'fastify' {
  interface FastifyReply {
    /** What was compressed, for the log of requests. */
    uncompressed: Buffer | string | undefined;
  }
}

export type Coding = 'br' | 'gzip';

/** If a client accepts both equally, the first one is used: its results are smaller. */
export const CODINGS: readonly Coding[] = ['br', 'gzip'];

/** Shorter responses are sent as they are: they fit into the first packets of a connection, so compressing them saves no round trip. */
export const MIN_COMPRESSED_LENGTH = 8 * 1024;

/** Higher qualities take several times as long, for a few percent. */
const BROTLI_QUALITY = 4;
const GZIP_LEVEL = 4;

/** The one of `offered` that an Accept-Encoding header prefers. Undefined: the response is sent uncompressed. */
export function preferredCoding(header: string | undefined, offered: readonly Coding[] = CODINGS): Coding | undefined {
  if (header === undefined) return undefined;
  const weights = readWeights(header);
  const weightOf = (coding: Coding): number => weights.get(coding) ?? weights.get('*') ?? 0;
  const best = offered.reduce<Coding | undefined>(
    (found, coding) => (weightOf(coding) > (found ? weightOf(found) : 0) ? coding : found),
    undefined,
  );
  return best && weightOf(best) >= (weights.get('identity') ?? 0) ? best : undefined;
}

function readWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((word) => word.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    weights.set(coding, weight === undefined ? 1 : Number(weight.slice(2)) || 0);
  }
  return weights;
}

/** Compresses outside of the event loop. */
export function compress(bytes: Buffer | string, coding: Coding): Promise<Buffer> {
  if (coding === 'gzip') return promisify(gzip)(bytes, { level: GZIP_LEVEL });
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return promisify(brotliCompress)(bytes, { params });
}

/** Sends a body that is already printed. A short one costs nothing more than a comparison. */
export function sendText(reply: FastifyReply, body: Buffer | string): FastifyReply | undefined | Promise<FastifyReply> {
  if (body.length < MIN_COMPRESSED_LENGTH) return send(reply, body);
  reply.header('vary', 'accept-encoding');
  const coding = preferredCoding(reply.request.headers['accept-encoding']);
  return coding === undefined ? send(reply, body) : sendCompressed(reply, body, coding);
}

/** Returns undefined if the response was sent at once, or discarded: then the framework need not wait. */
function send(reply: FastifyReply, body: Buffer | string): FastifyReply | undefined {
  const waiting = reply.send(body);
  return reply.sent ? undefined : waiting;
}

async function sendCompressed(reply: FastifyReply, body: Buffer | string, coding: Coding): Promise<FastifyReply> {
  const compressed = await compress(body, coding);
  reply.uncompressed = body;
  return reply.header('content-encoding', coding).send(compressed);
}
