/** The 2020 client from authorization to revocation: authorized in a browser, calling, renewing, refreshing, revoked. */
import { createRequire } from 'node:module';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Browser } from '../support/browser.js';
import {
  authorizeUrl,
  createApplication,
  createOwner,
  type TestApplication,
  type TestOwner,
} from '../support/oauth.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { plain, refusalOf } from './connect.js';
import { startWebApplication, type WebApplication } from './web-application.js';

type Model = Readonly<Record<string, unknown>>;

interface ApiClient {
  basePath: string;
  authentications: {
    oauth2: { accessToken?: string };
    oauth2ClientSecret: { apiKey?: string; apiKeyPrefix?: string };
  };
}

interface Package {
  readonly ApiClient: new () => ApiClient;
  readonly OAuthApi: new (
    client: ApiClient,
  ) => {
    obtainToken(body: Model): Promise<{ access_token: string; refresh_token: string } & Model>;
    renewToken(clientId: string, body: Model): Promise<{ access_token: string } & Model>;
    revokeToken(body: Model): Promise<Model>;
  };
  readonly LocationsApi: new (client: ApiClient) => { listLocations(): Promise<{ locations: Model[] }> };
  readonly V1LocationsApi: new (client: ApiClient) => { retrieveBusiness(): Promise<Model> };
}

const { ApiClient, OAuthApi, LocationsApi, V1LocationsApi }: Package = createRequire(import.meta.url)('square-connect');

let server: TestServer;
let web: WebApplication;
let application: TestApplication;
let owner: TestOwner;

beforeAll(async () => {
  server = await startTestServer();
  web = await startWebApplication();
  application = await createApplication(server, [web.redirectUrl]);
  owner = await createOwner(server, { business_name: "Ana's Coffee" });
  vi.spyOn(console, 'warn').mockImplementation(() => {}); // the client warns of deprecated calls
});
afterEach(() => vi.clearAllMocks());
afterAll(async () => {
  vi.restoreAllMocks();
  await web.stop();
  await server.stop();
});

function clientOf(change: { token?: string; secret?: string } = {}): ApiClient {
  const client = new ApiClient();
  client.basePath = server.baseUrl;
  if (change.token !== undefined) client.authentications.oauth2.accessToken = change.token;
  if (change.secret !== undefined) {
    client.authentications.oauth2ClientSecret.apiKey = change.secret;
    client.authentications.oauth2ClientSecret.apiKeyPrefix = 'Client';
  }
  return client;
}

/** In a browser: follows the application's link, signs in, allows, and is redirected back. */
async function beAllowed(): Promise<string> {
  const state = `state-${web.arrivals.length}`;
  const browser = await new Browser().visit(
    authorizeUrl(server, application, { scope: 'MERCHANT_PROFILE_READ', response_type: 'code', state }),
  );
  await browser.signIn(owner.email);
  await browser.submit({ decision: 'allow' });
  expect(browser.page.text).toContain('You can close this window');
  const { parameters, headers } = web.arrivals.at(-1) ?? { parameters: {}, headers: {} };
  expect(parameters).toEqual({ code: expect.any(String), response_type: 'code', state, iss: server.baseUrl });
  expect([headers.referer, headers.cookie]).toEqual([undefined, undefined]);
  return parameters['code'] ?? '';
}

const credentials = () => ({ client_id: application.id, client_secret: application.secret });

describe('an application written with square-connect', () => {
  it('is authorized, calls, renews, refreshes and is revoked with its client and a browser', async () => {
    const code = await beAllowed();
    const oauth = new OAuthApi(clientOf({ secret: application.secret }));
    const tokens = await oauth.obtainToken({ ...credentials(), grant_type: 'authorization_code', code });
    expect(plain(tokens)).toMatchObject({
      access_token: expect.stringMatching(/^EAAA/),
      token_type: 'bearer',
      expires_at: expect.stringMatching(/Z$/),
      merchant_id: owner.merchant.id,
      refresh_token: expect.stringMatching(/^EQAA/),
    });

    const asking = (token: string) => new LocationsApi(clientOf({ token })).listLocations();
    expect((await asking(tokens.access_token)).locations).toHaveLength(1);
    const business = await new V1LocationsApi(clientOf({ token: tokens.access_token })).retrieveBusiness();
    expect(business['business_name']).toBe("Ana's Coffee");

    const { refresh_token } = tokens;
    const refreshed = await oauth.obtainToken({ ...credentials(), grant_type: 'refresh_token', refresh_token });
    expect(refreshed.refresh_token).toBe(refresh_token);
    expect((await asking(refreshed.access_token)).locations).toHaveLength(1);

    const renewed = await oauth.renewToken(application.id, { access_token: refreshed.access_token });
    expect(plain(renewed)).toMatchObject({ merchant_id: owner.merchant.id, token_type: 'bearer' });
    expect((await asking(renewed.access_token)).locations).toHaveLength(1);

    const revoked = await oauth.revokeToken({ client_id: application.id, access_token: tokens.access_token });
    expect(plain(revoked)).toEqual({ success: true });
    for (const { access_token } of [tokens, refreshed, renewed]) {
      const { status, body } = await refusalOf(asking(access_token));
      expect([status, body]).toMatchObject([401, { errors: [{ code: 'ACCESS_TOKEN_REVOKED' }] }]);
    }
    const late = oauth.obtainToken({ ...credentials(), grant_type: 'refresh_token', refresh_token });
    expect(await refusalOf(late)).toMatchObject({ status: 401, body: { type: 'service.not_authorized' } });
  });

  it('reads type and message of a refusal', async () => {
    const oauth = new OAuthApi(clientOf({ secret: application.secret }));
    const refused = await refusalOf(oauth.obtainToken({ ...credentials(), code: 'sq0cgb-nobody' }));
    expect(refused).toEqual({
      status: 401,
      body: { type: 'service.not_authorized', message: expect.stringContaining(application.id) },
    });
    expect(await refusalOf(oauth.revokeToken({ client_id: application.id }))).toMatchObject({
      status: 400,
      body: { type: 'bad_request.missing_parameter' },
    });
    const wrong = new OAuthApi(clientOf({ secret: 'sq0csp-wrong' }));
    expect(await refusalOf(wrong.renewToken(application.id, { access_token: 'x' }))).toMatchObject({
      status: 401,
      body: { type: 'service.not_authorized' },
    });
  });
});
