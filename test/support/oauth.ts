/** Applications that request access and owners who grant it, over HTTP. */
import { createHash, randomUUID } from 'node:crypto';
import { Browser } from './browser.js';
import { createOwner, type TestOwner } from './dashboard.js';
import type { ApiResponse } from './http.js';
import type { TestServer } from './server.js';

export interface TestApplication {
  readonly id: string;
  readonly secret: string;
  readonly name: string;
  readonly redirectUrls: readonly string[];
}

/** No server listens there, and none is needed. */
export const REDIRECT_URL = 'https://app.example/callback';

export async function createApplication(
  server: TestServer,
  redirectUrls: readonly string[] = [REDIRECT_URL],
  name = 'Sales Wizard',
  client_type: 'CONFIDENTIAL' | 'PUBLIC' = 'CONFIDENTIAL',
): Promise<TestApplication> {
  const { status, text, body } = await server.operator('POST', '/api/sandbox/applications', {
    name,
    client_type,
    redirect_urls: redirectUrls,
  });
  if (status !== 200) throw new Error(`no application: ${text}`);
  return { id: body.application.id, secret: body.application_secret ?? '', name, redirectUrls };
}

/** Creates an application that cannot keep a secret. */
export function createPublicApplication(
  server: TestServer,
  redirectUrls: readonly string[] = [REDIRECT_URL],
): Promise<TestApplication> {
  return createApplication(server, redirectUrls, 'Pocket Till', 'PUBLIC');
}

export type Parameters = Readonly<Record<string, string>>;

export function authorizeUrl(
  server: Pick<TestServer, 'baseUrl'>,
  { id }: TestApplication,
  parameters: Parameters = {},
): string {
  return `${server.baseUrl}/oauth2/authorize?${new URLSearchParams({ client_id: id, ...parameters })}`;
}

/** The parameters of the redirect to the application. */
export function redirectParameters({ url }: Browser): Record<string, string> {
  return Object.fromEntries(new URL(url).searchParams);
}

/** Signs in and grants access as an owner does; the application receives a code. */
export async function allow(
  server: TestServer,
  application: TestApplication,
  { email }: Pick<TestOwner, 'email'>,
  parameters: Parameters = {},
): Promise<string> {
  const browser = await new Browser().visit(authorizeUrl(server, application, parameters));
  await browser.signIn(email);
  await browser.submit({ decision: 'allow' });
  const { code } = redirectParameters(browser);
  if (code === undefined) throw new Error(`no code: ${browser.url} ${browser.page.text}`);
  return code;
}

export function obtainToken(server: TestServer, body: Record<string, unknown>): Promise<ApiResponse> {
  return server.call('POST', '/oauth2/token', { body });
}

/** The fields of every token request of an application with a secret. */
export function credentialsOf({ id, secret }: TestApplication): { client_id: string; client_secret: string } {
  return { client_id: id, client_secret: secret };
}

export function asClient({ secret }: Pick<TestApplication, 'secret'>): { headers: { authorization: string } } {
  return { headers: { authorization: `Client ${secret}` } };
}

export interface WireTokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_at: string;
  readonly merchant_id: string;
  readonly refresh_token_expires_at?: string;
}

/** Obtains tokens without a browser, as tests in CI do. */
export async function grant(
  server: TestServer,
  { id }: Pick<TestApplication, 'id'>,
  merchantId: string,
  permissions?: readonly string[],
): Promise<WireTokens> {
  const body = { application_id: id, ...(permissions && { permissions }) };
  const answer = await server.operator('POST', `/api/sandbox/merchants/${merchantId}/authorizations`, body);
  if (answer.status !== 200) throw new Error(`not granted: ${answer.text}`);
  return answer.body;
}

/** A PKCE verifier and its challenge (RFC 7636). */
export function createPkcePair(): { verifier: string; parameters: Parameters } {
  const verifier = `${randomUUID()}${randomUUID()}`;
  const code_challenge = createHash('sha256').update(verifier).digest('base64url');
  return { verifier, parameters: { code_challenge, code_challenge_method: 'S256' } };
}

/** Obtains tokens for a public application. */
export async function allowPublic(
  server: TestServer,
  application: TestApplication,
  owner: Pick<TestOwner, 'email'>,
): Promise<WireTokens> {
  const { verifier, parameters } = createPkcePair();
  const code = await allow(server, application, owner, parameters);
  const answer = await obtainToken(server, {
    client_id: application.id,
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
  });
  if (answer.status !== 200) throw new Error(`no tokens: ${answer.text}`);
  return answer.body;
}

/** The status and the error code of a request with the access token. */
export async function statusOf(server: TestServer, token: string): Promise<string> {
  const { status, body } = await server.call('POST', '/oauth2/token/status', { token });
  return status === 200 ? 'valid' : `${status} ${body.errors[0].code}`;
}

export { createOwner, type TestOwner };
