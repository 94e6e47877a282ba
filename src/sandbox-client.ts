/** Speaks to the sandbox surface of a running server, for commands and for tests. */

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

/** The body of a success. Whoever calls says what that is: it is the operation's own schema, which /docs shows. */
export async function callSandbox<Body>(
  { url, operatorKey }: SandboxServer,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<Body> {
  const answer = await fetch(`${url}/sandbox/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${operatorKey}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const read = (await answer.json()) as { errors?: readonly { detail: string }[] };
  if (!answer.ok) {
    throw new SandboxRefusal(answer.status, read.errors?.[0]?.detail ?? `The server answered ${answer.status}.`);
  }
  return read as Body;
}
