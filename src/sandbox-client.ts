/** HTTP client of a running server, for commands and tests: the sandbox surface, and any operation with a token. */

export interface SandboxServer {
  readonly url: string;
  readonly operatorKey: string;
}

/** An error response; the message is the server's error detail. */
export class SandboxRefusal extends Error {
  readonly status: number;

  constructor(status: number, detail: string) {
    super(detail);
    this.name = 'SandboxRefusal';
    this.status = status;
  }
}

class ServerUnreachable extends Error {
  constructor(url: string, cause: unknown) {
    super(`No Tillhouse server responds at ${url}: it was stopped, or never started there.`, { cause });
    this.name = 'ServerUnreachable';
  }
}

export interface ServerCall {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Begins with a slash. */
  readonly path: string;
  /** An access token, a device token or the operator key, depending on the path. */
  readonly token: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns the body of a successful response. `Body` must match the schema of the operation, which /docs shows. */
export async function callServer<Body>(call: ServerCall): Promise<Body> {
  return readBody(call, await send(call));
}

/**
 * The chunks of an operation's stream of server-sent events, until the server ends it. A chunk can have several events, or a part of one,
 * so it only tells that something has happened.
 */
export async function* listenToServer(call: ServerCall): AsyncGenerator<string> {
  const response = await send(call);
  if (!response.ok || !response.body) return void (await readBody(call, response));
  const decoder = new TextDecoder();
  for await (const chunk of response.body) yield decoder.decode(chunk as Uint8Array, { stream: true });
}

/** A response as it came, whatever its status. */
export interface RawResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** The body is sent as it is. */
export async function sendToServer(call: Omit<ServerCall, 'body'> & { readonly text?: string }): Promise<RawResponse> {
  const response = await send(call);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

function send({
  url,
  method,
  path,
  token,
  body,
  text = body === undefined ? undefined : JSON.stringify(body),
  headers,
}: ServerCall & { readonly text?: string }): Promise<Response> {
  return fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(text !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(text !== undefined && { body: text }),
  }).catch((error: unknown) => {
    throw new ServerUnreachable(url, error);
  });
}

async function readBody<Body>({ url }: ServerCall, response: Response): Promise<Body> {
  // The error format depends on the generation (decision 0002).
  const content = (await response.json().catch(() => {
    throw new SandboxRefusal(response.status, `${url} does not respond with JSON, so it is not a Tillhouse server.`);
  })) as { errors?: readonly { detail: string }[]; message?: string };
  if (response.ok) return content as Body;
  throw new SandboxRefusal(
    response.status,
    content.errors?.[0]?.detail ?? content.message ?? `The server responded with ${response.status}.`,
  );
}

/** Calls an operation of the sandbox surface; `path` is relative to `/api/sandbox/`. */
export function callSandbox<Body>(
  { url, operatorKey }: SandboxServer,
  method: ServerCall['method'],
  path: string,
  body?: unknown,
): Promise<Body> {
  return callServer({ url, method, path: `/api/sandbox/${path}`, token: operatorKey, body });
}
