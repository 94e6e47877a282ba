/** Sends signed requests to an adapter, with a time limit, and reads what it sends back. */
import { realNow } from '../../base/clock.js';
import { JSON_TYPE } from '../../base/json.js';
import { SECOND_MS } from '../../base/time.js';
import { SIGNATURE_HEADER, sign } from './signature.js';

const MAX_ANSWER_BYTES = 64 * 1024;

export interface Adapter {
  /** Without a slash at the end. */
  readonly url: string;
  readonly secret: string;
  /** More headers for a request. */
  readonly headers?: (() => Record<string, string>) | undefined;
}

export interface AdapterRequest {
  readonly method: 'GET' | 'POST';
  /** Appended to the address of the adapter. */
  readonly path: string;
  readonly body?: string;
  /** Replaces the signature, to check that the adapter refuses it. */
  readonly signature?: string | undefined;
  /** The request of our client for which this one is sent, for the log of the adapter. */
  readonly requestId?: string | undefined;
  /** Default: longer than any answer to a call. */
  readonly maxBytes?: number;
}

export interface AdapterReply {
  readonly status: number;
  /** The body, if it is JSON. */
  readonly json: unknown;
}

/** Throws if there is no whole reply within the time, or if it is too long. */
export async function send(
  { url, secret, headers }: Adapter,
  { method, path, body = '', signature, requestId, maxBytes = MAX_ANSWER_BYTES }: AdapterRequest,
  signal: AbortSignal,
): Promise<AdapterReply> {
  const address = new URL(url + path);
  const signed = { method, path: address.pathname + address.search, body };
  const response = await fetch(address, {
    method,
    headers: {
      ...headers?.(),
      accept: JSON_TYPE,
      'user-agent': 'Tillhouse',
      ...(requestId !== undefined && { 'x-request-id': requestId }),
      [SIGNATURE_HEADER]: signature ?? sign(secret, signed, Math.floor(realNow() / SECOND_MS)),
      ...(method === 'POST' && { 'content-type': JSON_TYPE }),
    },
    ...(method === 'POST' && { body }),
    redirect: 'manual', // a redirect would carry the call to somebody else
    signal,
  });
  return { status: response.status, json: parse(await readLimited(response, maxBytes)) };
}

async function readLimited(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`the answer is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The reason in words. The error of `fetch` itself only says that it failed. */
export function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: Error & { code?: string } };
  if (name === 'TimeoutError') return 'no answer in time';
  return cause?.code ?? cause?.message ?? message;
}
