/** Applications in the dashboard: an owner registers applications, lists authorizations, and revokes them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cookieOf, signIn } from '../../support/dashboard.js';
import {
  allow,
  createApplication,
  createOwner,
  credentialsOf,
  grant,
  obtainToken,
  statusOf,
  type TestApplication,
  type TestOwner,
} from '../../support/oauth.js';
import { startProduction, startTestServer, type TestServer } from '../../support/server.js';

const REDIRECT_URLS = ['https://app.example/callback', 'http://localhost:3000/callback'];

let server: TestServer;
let owner: TestOwner;
let stranger: TestOwner;

beforeAll(async () => {
  server = await startTestServer();
  [owner, stranger] = [await createOwner(server), await createOwner(server)];
});
afterAll(() => server.stop());

async function register(by: TestOwner, name = 'Till Bot'): Promise<TestApplication> {
  const body = { name, redirect_urls: REDIRECT_URLS };
  const answer = await by.call('POST', '/api/dashboard/applications', { body });
  expect(answer.status, answer.text).toBe(200);
  return {
    id: answer.body.application.id,
    secret: answer.body.application_secret,
    name,
    redirectUrls: REDIRECT_URLS,
  };
}

const refreshStatus = async (by: TestApplication, refresh_token: string): Promise<number> =>
  (await obtainToken(server, { ...credentialsOf(by), grant_type: 'refresh_token', refresh_token })).status;

describe('dashboard.registerApplication', () => {
  it('creates an application, and returns its secret only this once', async () => {
    const body = { name: 'Till Bot', redirect_urls: REDIRECT_URLS };
    const answer = await owner.call('POST', '/api/dashboard/applications', { body });
    expect(answer.body).toEqual({
      application: {
        id: expect.stringMatching(/^sandbox-sq0idb-[\w-]{22}$/),
        name: 'Till Bot',
        client_type: 'CONFIDENTIAL',
        redirect_urls: REDIRECT_URLS,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      },
      application_secret: expect.stringMatching(/^sandbox-sq0csb-[\w-]{43}$/),
    });
    const list = await owner.call('GET', '/api/dashboard/applications');
    expect(list.body.applications).toContainEqual(answer.body.application);
    expect(list.text).not.toContain(answer.body.application_secret);
    const others = await stranger.call('GET', '/api/dashboard/applications');
    expect(others.body.applications).toEqual([]);
  });

  it('creates a public application without a secret', async () => {
    const body = { name: 'Pocket Till', client_type: 'PUBLIC', redirect_urls: REDIRECT_URLS };
    const answer = await owner.call('POST', '/api/dashboard/applications', { body });
    expect(Object.keys(answer.body)).toEqual(['application']);
    const { id, client_type } = answer.body.application;
    expect(client_type).toBe('PUBLIC');
    expect((await owner.call('GET', '/api/dashboard/applications')).body.applications).toContainEqual(
      answer.body.application,
    );
    const rotated = await owner.call('POST', `/api/dashboard/applications/${id}/secret`);
    expect([rotated.status, rotated.body.errors[0].detail]).toEqual([400, expect.stringContaining('public')]);
    expect((await stranger.call('POST', `/api/dashboard/applications/${id}/secret`)).status).toBe(404);
    const wrong = { body: { ...body, client_type: 'SECRETIVE' } };
    expect((await owner.call('POST', '/api/dashboard/applications', wrong)).body.errors[0].field).toBe('client_type');
  });

  it('creates ids and secrets with the production prefix in production', async () => {
    const { production, sandbox, stop } = await startProduction();
    try {
      const { email } = await createOwner(sandbox);
      const { body } = await production.call('POST', '/api/dashboard/applications', {
        headers: { cookie: cookieOf(await signIn(production, email)) },
        body: { name: 'Real', redirect_urls: REDIRECT_URLS },
      });
      expect(body.application.id).toMatch(/^sq0idp-[\w-]{22}$/);
      expect(body.application_secret).toMatch(/^sq0csp-[\w-]{43}$/);
    } finally {
      await stop();
    }
  });

  it('refuses an application without a redirect URL, and an invalid redirect URL', async () => {
    for (const redirect_urls of [[], ['nonsense'], [...REDIRECT_URLS, 'http://app.example/']]) {
      const { status, body } = await owner.call('POST', '/api/dashboard/applications', {
        body: { name: 'X', redirect_urls },
      });
      expect([status, body.errors[0].field]).toEqual([400, 'redirect_urls']);
    }
  });
});

describe('dashboard.rotateApplicationSecret', () => {
  it('creates a new secret; the old one is refused, and authorizations stay active', async () => {
    const application = await register(owner);
    const { refresh_token, access_token } = await grant(server, application, stranger.merchant.id);
    const rotated = await owner.call('POST', `/api/dashboard/applications/${application.id}/secret`);
    const secret = rotated.body.application_secret;
    expect(secret).toMatch(/^sandbox-sq0csb-/);
    expect(await refreshStatus(application, refresh_token)).toBe(401);
    expect(await refreshStatus({ ...application, secret }, refresh_token)).toBe(200);
    expect(await statusOf(server, access_token)).toBe('valid');
  });

  it("refuses another owner's application, and the operator's", async () => {
    const application = await register(owner);
    const { refresh_token } = await grant(server, application, owner.merchant.id);
    const operators = await createApplication(server);
    for (const { id } of [application, operators]) {
      expect((await stranger.call('POST', `/api/dashboard/applications/${id}/secret`)).status).toBe(404);
    }
    expect(await refreshStatus(application, refresh_token)).toBe(200);
  });
});

describe('dashboard.listAuthorizations', () => {
  it('returns each application once, with all its permissions, and only those that have obtained tokens', async () => {
    const someone = await createOwner(server);
    const list = async () => (await someone.call('GET', '/api/dashboard/authorizations')).body.authorizations;
    const [bot, wizard] = [await register(owner, 'Bot'), await createApplication(server, undefined, 'Wizard')];
    const code = await allow(server, wizard, someone, { scope: 'ITEMS_READ' });
    expect(await list()).toEqual([]);
    await obtainToken(server, { ...credentialsOf(wizard), code });
    await grant(server, bot, someone.merchant.id, ['PAYMENTS_READ', 'ITEMS_READ']);
    await grant(server, bot, someone.merchant.id, ['ORDERS_READ', 'ITEMS_READ']);
    const created_at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(await list()).toEqual([
      {
        application_id: bot.id,
        application_name: 'Bot',
        permissions: ['ITEMS_READ', 'ORDERS_READ', 'PAYMENTS_READ'],
        created_at,
      },
      { application_id: wizard.id, application_name: 'Wizard', permissions: ['ITEMS_READ'], created_at },
    ]);
  });
});

describe('dashboard.revokeAuthorization', () => {
  it('revokes all tokens of an application immediately, for this merchant only', async () => {
    const application = await register(owner);
    const [mine, also, theirs] = [
      await grant(server, application, owner.merchant.id),
      await grant(server, application, owner.merchant.id),
      await grant(server, application, stranger.merchant.id),
    ];
    expect(await statusOf(server, mine.access_token)).toBe('valid'); // and therefore cached
    const revoke = () => owner.call('DELETE', `/api/dashboard/authorizations/${application.id}`);
    expect([(await revoke()).body, (await revoke()).status]).toEqual([{}, 200]);
    for (const { access_token, refresh_token } of [mine, also]) {
      expect(await statusOf(server, access_token)).toBe('401 ACCESS_TOKEN_REVOKED');
      expect(await refreshStatus(application, refresh_token)).toBe(401);
    }
    expect(await statusOf(server, theirs.access_token)).toBe('valid');
    const { body } = await owner.call('GET', '/api/dashboard/authorizations');
    const ids = body.authorizations.map(({ application_id }: { application_id: string }) => application_id);
    expect(ids).not.toContain(application.id);

    const again = await grant(server, application, owner.merchant.id);
    expect(await statusOf(server, again.access_token)).toBe('valid'); // a new authorization is valid
  });

  it('returns 404 for an application without an authorization', async () => {
    const { id } = await register(owner);
    for (const each of [id, 'nobody']) {
      expect((await owner.call('DELETE', `/api/dashboard/authorizations/${each}`)).status).toBe(404);
    }
  });
});

describe('sandbox.createAuthorization', () => {
  it('grants all permissions, or the given ones, and returns valid tokens', async () => {
    const application = await createApplication(server, []);
    const few = await grant(server, application, owner.merchant.id, ['MERCHANT_PROFILE_READ']);
    expect((await server.call('GET', '/v1/me', { token: few.access_token })).status).toBe(200);
    expect((await server.call('GET', '/v2/payments', { token: few.access_token })).status).toBe(403);
    const all = await grant(server, application, owner.merchant.id);
    expect((await server.call('GET', '/v2/payments', { token: all.access_token })).status).toBe(200);
    expect(await refreshStatus(application, all.refresh_token)).toBe(200);
  });

  it('refuses an unknown merchant and an unknown application', async () => {
    const { id } = await createApplication(server);
    const path = (merchantId: string) => `/api/sandbox/merchants/${merchantId}/authorizations`;
    expect((await server.operator('POST', path('MNOBODY'), { application_id: id })).status).toBe(404);
    for (const application_id of ['nobody', 'sq0idp-TillhousePersonal0000']) {
      const { status, body } = await server.operator('POST', path(owner.merchant.id), { application_id });
      expect([status, body.errors[0].field]).toEqual([400, 'application_id']);
    }
  });
});

describe('a token that another server revoked', () => {
  it('is refused within about a second', async () => {
    const application = await createApplication(server);
    const { access_token } = await grant(server, application, owner.merchant.id);
    const second = await startTestServer({ databaseUrl: server.databaseUrl });
    try {
      expect(await statusOf(second, access_token)).toBe('valid');
      await owner.call('DELETE', `/api/dashboard/authorizations/${application.id}`);
      await expect
        .poll(() => statusOf(second, access_token), { timeout: 5000, interval: 50 })
        .toBe('401 ACCESS_TOKEN_REVOKED');
    } finally {
      await second.stop();
    }
  });
});
