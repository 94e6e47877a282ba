/** Sends a request as a program would: with the credential of its header alone. Only what the operator sends may use the cookie of the console. */
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
  /** Under this id the log has the request. */
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
    headers,
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
