/** Sends real HTTP requests without a client library, so that tests see every byte and header. */
import { type Agent, request } from 'node:http';
import { request as requestOverTls } from 'node:https';

export interface CallOptions {
  readonly token?: string;
  /** Sent as JSON. A Buffer or string is sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The connections to use. */
  readonly agent?: Agent;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  /** Names and values as received, in order. */
  readonly rawHeaders: readonly string[];
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the fields that it expects, and fails if they are missing
  readonly body: any;
}

export function callApi(
  baseUrl: string,
  method: string,
  path: string,
  { token, body, headers = {}, agent }: CallOptions = {},
): Promise<ApiResponse> {
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
  const payload = body === undefined ? undefined : isRaw ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const { protocol, hostname, port } = new URL(baseUrl);
    const outgoing = (protocol === 'https:' ? requestOverTls : request)(
      {
        hostname,
        port,
        method,
        path,
        rejectUnauthorized: false, // certificates of tests are self-signed
        ...(agent && { agent }),
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(payload !== undefined && {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(payload),
          }),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const { statusCode = 0, headers: received, rawHeaders } = response;
          resolve({ status: statusCode, headers: received, rawHeaders, text, body: parse(text) });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(payload);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The path of the next page of a v1 list, from its byte-exact `Link` header. */
export function nextPath({ rawHeaders }: ApiResponse): string | undefined {
  const value = rawHeaders[rawHeaders.indexOf('Link') + 1];
  const url = rawHeaders.includes('Link') ? /^<([^>]+)>;rel='next'$/.exec(value ?? '')?.[1] : undefined;
  if (url === undefined) return undefined;
  const { pathname, search } = new URL(url);
  return pathname + search;
}
