/** The current client from authorization to revocation, with a secret and without one. */
import { SquareClient, SquareError } from 'square';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browser } from '../support/browser.js';
import {
  authorizeUrl,
  createApplication,
  createOwner,
  createPkcePair,
  createPublicApplication,
  type Parameters,
  type TestApplication,
  type TestOwner,
} from '../support/oauth.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { startWebApplication, type WebApplication } from './web-application.js';

let server: TestServer;
let web: WebApplication;
let application: TestApplication;
let owner: TestOwner;

beforeAll(async () => {
  server = await startTestServer();
  web = await startWebApplication();
  application = await createApplication(server, [web.redirectUrl]);
  owner = await createOwner(server);
});
afterAll(async () => {
  await web.stop();
  await server.stop();
});

const clientFor = (token?: string): SquareClient =>
  new SquareClient({ baseUrl: server.baseUrl, maxRetries: 0, ...(token !== undefined && { token }) });

async function beAllowed(parameters: Parameters = {}, asking = application): Promise<string> {
  const scope = 'MERCHANT_PROFILE_READ+PAYMENTS_READ';
  const browser = await new Browser().visit(authorizeUrl(server, asking, { scope, ...parameters }));
  await browser.signIn(owner.email);
  await browser.submit({ decision: 'allow' });
  return web.arrivals.at(-1)?.parameters['code'] ?? '';
}

async function refusalOf(call: PromiseLike<unknown>): Promise<SquareError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof SquareError) return error;
    throw error;
  }
  throw new Error('the call was not refused');
}

describe('an application written with square', () => {
  it('is authorized, calls, refreshes and is revoked with its client and a browser', async () => {
    const anonymous = clientFor('');
    const credentials = { clientId: application.id, clientSecret: application.secret };
    const code = await beAllowed();
    const tokens = await anonymous.oAuth.obtainToken({ ...credentials, grantType: 'authorization_code', code });
    expect(tokens).toMatchObject({ merchantId: owner.merchant.id, tokenType: 'bearer', shortLived: false });

    const client = clientFor(tokens.accessToken);
    expect((await client.locations.list()).locations).toHaveLength(1);
    expect(await client.oAuth.retrieveTokenStatus()).toMatchObject({
      scopes: ['MERCHANT_PROFILE_READ', 'PAYMENTS_READ'],
      expiresAt: tokens.expiresAt,
      clientId: application.id,
      merchantId: owner.merchant.id,
    });

    const refreshed = await anonymous.oAuth.obtainToken({
      ...credentials,
      grantType: 'refresh_token',
      refreshToken: tokens.refreshToken ?? '',
      scopes: ['PAYMENTS_READ'],
      shortLived: true,
    });
    expect([refreshed.refreshToken, refreshed.shortLived]).toEqual([tokens.refreshToken, true]);
    const narrow = await refusalOf(clientFor(refreshed.accessToken).locations.list());
    expect([narrow.statusCode, narrow.errors[0]?.code]).toEqual([403, 'INSUFFICIENT_SCOPES']);

    const revoked = await anonymous.oAuth.revokeToken(
      { clientId: application.id, accessToken: tokens.accessToken ?? '' },
      { headers: { Authorization: `Client ${application.secret}` } },
    );
    expect(revoked.success).toBe(true);
    for (const { accessToken } of [tokens, refreshed]) {
      const refusal = await refusalOf(clientFor(accessToken).oAuth.retrieveTokenStatus());
      expect([refusal.statusCode, refusal.errors[0]?.code]).toEqual([401, 'ACCESS_TOKEN_REVOKED']);
    }
  });

  it('does the same without a secret, with PKCE', async () => {
    const { verifier, parameters } = createPkcePair();
    const inPocket = await createPublicApplication(server, [web.redirectUrl]);
    const code = await beAllowed({ code_challenge: parameters['code_challenge'] ?? '' }, inPocket);
    const { oAuth } = clientFor('');
    const tokens = await oAuth.obtainToken({
      clientId: inPocket.id,
      grantType: 'authorization_code',
      code,
      codeVerifier: verifier,
      redirectUri: web.redirectUrl,
    });
    expect(tokens.refreshTokenExpiresAt).toEqual(expect.any(String));
    const refresh = (refreshToken: string | undefined) =>
      oAuth.obtainToken({ clientId: inPocket.id, grantType: 'refresh_token', refreshToken: refreshToken ?? '' });
    const next = await refresh(tokens.refreshToken);
    expect(next.refreshToken).not.toBe(tokens.refreshToken);
    expect((await clientFor(next.accessToken).locations.list()).locations).toHaveLength(1);
    expect((await refusalOf(refresh(tokens.refreshToken))).statusCode).toBe(401);
    expect((await refusalOf(refresh(next.refreshToken))).statusCode).toBe(401); // all tokens of the family are revoked
  });

  it('reads refusals as errors of v1', async () => {
    const { errors, statusCode } = await refusalOf(
      clientFor('').oAuth.obtainToken({
        clientId: application.id,
        clientSecret: 'wrong',
        grantType: 'authorization_code',
        code: 'x',
      }),
    );
    expect([statusCode, errors]).toEqual([
      401,
      [{ category: 'V1_ERROR', code: 'service.not_authorized', detail: expect.any(String), field: undefined }],
    ]);
  });
});
