/** An owner of the dashboard: signs in over HTTP and keeps the cookie. */
import type { ApiResponse, CallOptions } from './http.js';
import type { TestMerchant, TestServer } from './server.js';

export const PASSWORD = 'correct horse battery';

let owners = 0;

export interface TestOwner {
  readonly email: string;
  readonly merchant: TestMerchant;
  /** `name=value`, as a browser sends it. */
  readonly cookie: string;
  /** The value of the cookie. */
  readonly session: string;
  call(method: string, path: string, options?: CallOptions): Promise<ApiResponse>;
}

export function newOwnerEmail(): string {
  return `owner${++owners}@example.com`;
}

export function signIn(
  server: TestServer,
  email: string,
  password: string = PASSWORD,
  headers: Record<string, string> = {},
): Promise<ApiResponse> {
  return server.call('POST', '/api/dashboard/session', { body: { email, password }, headers });
}

/** The cookie that a response sets, without its attributes. */
export function cookieOf({ headers }: ApiResponse): string {
  return String(headers['set-cookie']).split(';', 1)[0] ?? '';
}

/** Creates a merchant whose owner is signed in. */
export async function createOwner(server: TestServer, body: Record<string, unknown> = {}): Promise<TestOwner> {
  const email = newOwnerEmail();
  const merchant = await server.createMerchant({ ...body, owner: { email, password: PASSWORD } });
  const answer = await signIn(server, email);
  if (answer.status !== 200) throw new Error(`not signed in: ${answer.text}`);
  const cookie = cookieOf(answer);
  return {
    email,
    merchant,
    cookie,
    session: cookie.replace(/^[^=]*=/, ''),
    call: (method, path, options) =>
      server.call(method, path, { ...options, headers: { cookie, ...options?.headers } }),
  };
}
