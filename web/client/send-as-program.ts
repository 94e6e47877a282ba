/**
 * Sends a request as a program would, with no credential but its header. Only the operator's requests may use the console's cookie. A header
 * says that the console sent it, so that nobody takes it for a request of a program, and no fault is used up.
 */
import { SENDER_HEADER } from '../../src/base/senders.js';
import { unreachable } from './problem.js';

export interface ProgramRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Default: false. */
  readonly withCookies?: boolean;
}

export interface ProgramResponse {
  readonly status: number;
  /** As this browser saw it. */
  readonly durationMs: number;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly text: string;
  /** The id of the request in the server's log. */
  readonly requestId: string | undefined;
}

export async function sendAsProgram({
  method,
  path,
  headers,
  body,
  withCookies = false,
}: ProgramRequest): Promise<ProgramResponse> {
  const begun = performance.now();
  const lost = () => {
    throw unreachable();
  };
  const response = await fetch(path, {
    method,
    headers: { ...headers, [SENDER_HEADER]: 'console' },
    credentials: withCookies ? 'same-origin' : 'omit',
    cache: 'no-store',
    ...(body !== undefined && { body }),
  }).catch(lost);
  const text = await response.text().catch(lost);
  return {
    status: response.status,
    durationMs: performance.now() - begun,
    headers: [...response.headers].map(([name, value]) => ({ name, value })),
    text,
    requestId: response.headers.get('x-request-id') ?? undefined,
  };
}
