/** Speaks to a running server, for commands and for tests: to its sandbox surface, and to whatever else a token opens. */

export interface SandboxServer {
  readonly url: string;
  readonly operatorKey: string;
}

/** What the server refused, in its own words. */
export class SandboxRefusal extends Error {
  readonly status: number;

  constructor(status: number, detail: string) {
    super(detail);
    this.name = 'SandboxRefusal';
    this.status = status;
  }
}

/** Nobody answers there. */
class ServerUnreachable extends Error {
  constructor(url: string, cause: unknown) {
    super(`No Tillhouse answers at ${url}: it was stopped, or never started there.`, { cause });
    this.name = 'ServerUnreachable';
  }
}

export interface ServerCall {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Begins with a slash. */
  readonly path: string;
  /** An access token, a device's token or the operator's key, as the path wants it. */
  readonly token: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The body of a success. Whoever calls says what that is: it is the operation's own schema, which /docs shows. */
export async function callServer<Body>({ url, method, path, token, body, headers }: ServerCall): Promise<Body> {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    throw new ServerUnreachable(url, error);
  });
  // Errors have the shape of the path's generation (decision 0002).
  const read = (await answer.json().catch(() => {
    throw new SandboxRefusal(answer.status, `${url} does not answer in JSON, so it is no Tillhouse server.`);
  })) as { errors?: readonly { detail: string }[]; message?: string };
  if (answer.ok) return read as Body;
  throw new SandboxRefusal(
    answer.status,
    read.errors?.[0]?.detail ?? read.message ?? `The server answered ${answer.status}.`,
  );
}

/** The same for an operation of the sandbox surface, by its path behind `/api/sandbox/`. */
export function callSandbox<Body>(
  { url, operatorKey }: SandboxServer,
  method: ServerCall['method'],
  path: string,
  body?: unknown,
): Promise<Body> {
  return callServer({ url, method, path: `/api/sandbox/${path}`, token: operatorKey, body });
}
