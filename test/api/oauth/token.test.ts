/** How an application obtains, refreshes and revokes tokens (contract 11.3 to 11.5, decisions 0070 to 0073). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashSecret } from '../../../src/base/secrets.js';
import { Browser } from '../../support/browser.js';
import type { ApiResponse } from '../../support/http.js';
import {
  allow,
  allowPublic,
  asClient,
  authorizeUrl,
  createApplication,
  createOwner,
  createPkcePair,
  createPublicApplication,
  credentialsOf,
  grant,
  obtainToken,
  REDIRECT_URL,
  statusOf,
  type TestApplication,
  type TestOwner,
  type WireTokens,
} from '../../support/oauth.js';
import { startTestServer, type TestServer } from '../../support/server.js';

const DAY_MS = 86_400_000;

let server: TestServer;
let application: TestApplication;
let other: TestApplication;
let publicApplication: TestApplication;
let owner: TestOwner;

beforeAll(async () => {
  server = await startTestServer();
  [application, other] = [await createApplication(server), await createApplication(server)];
  publicApplication = await createPublicApplication(server);
  owner = await createOwner(server);
});
afterAll(() => server.stop());

const exchange = (code: string, change: Record<string, unknown> = {}, by = application): Promise<ApiResponse> =>
  obtainToken(server, { ...credentialsOf(by), grant_type: 'authorization_code', code, ...change });

const refresh = (refresh_token: string, change: Record<string, unknown> = {}, by = application): Promise<ApiResponse> =>
  obtainToken(server, { ...credentialsOf(by), grant_type: 'refresh_token', refresh_token, ...change });

const refreshPublic = (refresh_token: string): Promise<ApiResponse> =>
  obtainToken(server, { client_id: publicApplication.id, grant_type: 'refresh_token', refresh_token });

/** A separate merchant, so that a test can revoke its tokens without effect on other tests. */
const grantToNewMerchant = async (permissions?: readonly string[]): Promise<WireTokens> =>
  grant(server, application, (await server.createMerchant()).id, permissions);

function expectRefusal(answer: ApiResponse, status: number, type: string, field?: string): void {
  expect([answer.status, answer.body], answer.text).toEqual([
    status,
    { type, message: expect.stringMatching(/\S/), ...(field && { field }) },
  ]);
}

/** The texts that programs compare (contract 11.5). */
const WRONG_CLIENT = { type: 'service.not_authorized', message: 'Not Authorized' };
const WRONG_REFRESH_TOKEN = { type: 'service.not_authorized', message: 'Invalid refresh token' };

const expectBody = ({ status, body }: ApiResponse, expected: unknown): void =>
  expect([status, body]).toEqual([401, expected]);

function daysFromNow(time: string): number {
  return (Date.parse(time) - Date.now()) / DAY_MS;
}

describe('oauth2.obtainToken with a code', () => {
  it('returns an access token for 30 days and a refresh token, in the published format', async () => {
    const answer = await exchange(await allow(server, application, owner, { scope: 'PAYMENTS_READ ITEMS_READ' }));
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        access_token: expect.stringMatching(/^EAAA[\w-]{60}$/),
        token_type: 'bearer',
        expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        merchant_id: owner.merchant.id,
        refresh_token: expect.stringMatching(/^EQAA[\w-]{60}$/),
        short_lived: false,
      },
    ]);
    expect(daysFromNow(answer.body.expires_at)).toBeCloseTo(30, 2);
    const { access_token: token } = answer.body;
    expect((await server.call('GET', '/v2/payments', { token })).status).toBe(200);
    expect((await server.call('GET', '/v2/employees', { token })).status).toBe(403);
  });

  it('accepts a form, and a missing grant_type if there is a code', async () => {
    const form = async (fields: Record<string, string>) =>
      server.call('POST', '/oauth2/token', {
        body: new URLSearchParams(fields).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
      });
    const credentials = credentialsOf(application);
    const first = await form({ ...credentials, code: await allow(server, application, owner) });
    expect([first.status, first.body.merchant_id], first.text).toEqual([200, owner.merchant.id]);
    const again = await form({
      ...credentials,
      grant_type: 'refresh_token',
      refresh_token: first.body.refresh_token,
      short_lived: 'true',
    });
    expect([again.status, again.body.short_lived], again.text).toEqual([200, true]);
    const json = await obtainToken(server, { ...credentials, code: await allow(server, application, owner) });
    expect(json.status, json.text).toBe(200);
    expectRefusal(await form({ ...credentials, grant_type: '\0' }), 400, 'bad_request.invalid_parameter', 'grant_type');
    expectRefusal(await form({}), 400, 'bad_request.missing_parameter', 'client_id');
  });

  it('narrows the permissions to the requested scopes, and lasts a day if requested', async () => {
    const code = await allow(server, application, owner, { scope: 'PAYMENTS_READ ITEMS_READ' });
    const tooMuch = await exchange(code, { scopes: ['PAYMENTS_READ', 'PAYMENTS_WRITE'] });
    expectRefusal(tooMuch, 400, 'bad_request.invalid_parameter', 'scopes');
    expect(tooMuch.body.message).toContain('PAYMENTS_WRITE');
    expect(tooMuch.body.message).not.toContain('PAYMENTS_READ');

    const { body } = await exchange(code, { scopes: ['ITEMS_READ'], short_lived: true });
    expect(daysFromNow(body.expires_at)).toBeCloseTo(1, 2);
    const narrow = await server.call('POST', '/oauth2/token/status', { token: body.access_token });
    expect(narrow.body.scopes).toEqual(['ITEMS_READ']);
    // The refresh token still has all permissions.
    const full = await refresh(body.refresh_token);
    const status = await server.call('POST', '/oauth2/token/status', { token: full.body.access_token });
    expect(status.body.scopes.sort()).toEqual(['ITEMS_READ', 'PAYMENTS_READ']);
  });

  it('accepts the redirect_uri of the authorization request, or none, and no other', async () => {
    expect((await exchange(await allow(server, application, owner), { redirect_uri: REDIRECT_URL })).status).toBe(200);
    const code = await allow(server, application, owner);
    for (const redirect_uri of [`${REDIRECT_URL}/`, 'https://evil.example/']) {
      expectRefusal(await exchange(code, { redirect_uri }), 401, 'service.not_authorized');
    }
    expect((await exchange(code)).status).toBe(200); // the wrong attempt did not use up the code
  });

  it('refuses an unknown code, naming the application (contract 11.5)', async () => {
    const answer = await exchange('sq0cgb-nobodyhasthisone000000');
    expectRefusal(answer, 401, 'service.not_authorized');
    expect(answer.body.message).toContain(application.id);
  });

  it("refuses another application's code, which stays valid", async () => {
    const code = await allow(server, application, owner);
    expectRefusal(await exchange(code, {}, other), 401, 'service.not_authorized');
    expect((await exchange(code)).status).toBe(200);
  });

  it('refuses a code after five minutes', async () => {
    const code = await allow(server, application, owner);
    const [row] = await server.database.sql`
      update authorization_codes set expires_at = now() where code_hash = ${hashSecret(code)}
      returning expires_at`;
    expect(row).toBeDefined();
    expectRefusal(await exchange(code), 401, 'service.not_authorized');
  });

  it('accepts a code for five minutes, in real time', async () => {
    const code = await allow(server, application, owner);
    const [row] = await server.database.sql<{ left: string }[]>`
      select extract(epoch from expires_at - now()) as left from authorization_codes where code_hash = ${hashSecret(code)}`;
    expect(Number(row?.left)).toBeGreaterThan(290);
    expect(Number(row?.left)).toBeLessThanOrEqual(300);
  });

  it('refuses a code the second time, and revokes the tokens of the first exchange', async () => {
    const code = await allow(server, application, owner);
    const { body } = await exchange(code);
    const renewed = (await refresh(body.refresh_token)).body;
    expect(await statusOf(server, body.access_token)).toBe('valid');
    expectRefusal(await exchange(code), 401, 'service.not_authorized');
    expect(await statusOf(server, body.access_token)).toBe('401 ACCESS_TOKEN_REVOKED');
    expect(await statusOf(server, renewed.access_token)).toBe('401 ACCESS_TOKEN_REVOKED');
    expectRefusal(await refresh(body.refresh_token), 401, 'service.not_authorized');
  });

  it('revokes only the tokens of that code, and not for another application', async () => {
    const [code, second] = [await allow(server, application, owner), await allow(server, application, owner)];
    const [one, two] = [(await exchange(code)).body, (await exchange(second)).body];
    expectRefusal(await exchange(code, {}, other), 401, 'service.not_authorized');
    expect(await statusOf(server, one.access_token)).toBe('valid');
    await exchange(code);
    expect(await statusOf(server, one.access_token)).toBe('401 ACCESS_TOKEN_REVOKED');
    expect(await statusOf(server, two.access_token)).toBe('valid');
  });

  it('refuses a code if the merchant has revoked the authorization before the exchange', async () => {
    const someone = await createOwner(server);
    const code = await allow(server, application, someone);
    const revoked = await server.call('POST', '/oauth2/revoke', {
      ...asClient(application),
      body: { client_id: application.id, merchant_id: someone.merchant.id },
    });
    expect(revoked.body).toEqual({ success: true });
    expectRefusal(await exchange(code), 401, 'service.not_authorized');
  });
});

describe('oauth2.obtainToken refuses', () => {
  it.each([
    ['an unknown application', { client_id: 'sq0idp-nobody' }],
    ['the built-in application of personal tokens', { client_id: 'sq0idp-TillhousePersonal0000' }],
    ['a wrong secret', { client_secret: 'sq0csp-wrong' }],
    ["the right secret's beginning", (app: TestApplication) => ({ client_secret: app.secret.slice(0, -1) })],
    ["another application's secret", () => ({ client_secret: other.secret })],
  ])('%s with 401', async (_, change) => {
    const changed = typeof change === 'function' ? change(application) : change;
    const { refresh_token } = await grantToNewMerchant();
    expectBody(await refresh(refresh_token, changed), WRONG_CLIENT);
    expectBody(await exchange('sq0cgb-x', changed), WRONG_CLIENT);
  });

  it('refresh_token without a refresh token (contract 11.5), and a code grant without a code', async () => {
    const credentials = credentialsOf(application);
    const missing = 'bad_request.missing_parameter';
    expectRefusal(
      await obtainToken(server, { ...credentials, grant_type: 'refresh_token' }),
      400,
      missing,
      'refresh_token',
    );
    expectRefusal(
      await obtainToken(server, { ...credentials, grant_type: 'authorization_code' }),
      400,
      missing,
      'code',
    );
    expectRefusal(await obtainToken(server, credentials), 400, missing, 'grant_type');
    expectRefusal(await obtainToken(server, {}), 400, missing, 'client_id');
  });

  it('unknown grant types', async () => {
    for (const grant_type of ['migration_token', 'client_credentials', 'password', 'implicit', 'AUTHORIZATION_CODE']) {
      const answer = await obtainToken(server, { ...credentialsOf(application), grant_type, code: 'x' });
      expectRefusal(answer, 400, 'bad_request.invalid_parameter', 'grant_type');
    }
  });
});

describe('oauth2.obtainToken with a refresh token', () => {
  it('returns a new access token and the same refresh token, any number of times; the old access token stays valid', async () => {
    const first = await grantToNewMerchant();
    for (const _ of ['once', 'again']) {
      const { status, body } = await refresh(first.refresh_token);
      expect([status, body.refresh_token, body.refresh_token_expires_at]).toEqual([
        200,
        first.refresh_token,
        undefined,
      ]);
      expect(body.access_token).not.toBe(first.access_token);
      expect(await statusOf(server, body.access_token)).toBe('valid');
    }
    expect(await statusOf(server, first.access_token)).toBe('valid');
  });

  it('refuses an unknown one, and one of another application (contract 11.5)', async () => {
    const { refresh_token } = await grantToNewMerchant();
    expectBody(await refresh('EQAAnobodyhasthisone'), WRONG_REFRESH_TOKEN);
    expectBody(await refresh(refresh_token, {}, other), WRONG_REFRESH_TOKEN);
    expect((await refresh(refresh_token)).status).toBe(200);
  });

  it('requires the secret of a confidential application, and refuses another application', async () => {
    const { refresh_token } = await grantToNewMerchant();
    const bare = { client_id: application.id, grant_type: 'refresh_token', refresh_token };
    expectRefusal(await obtainToken(server, bare), 400, 'bad_request.missing_parameter', 'client_secret');
    expectRefusal(await refreshPublic(refresh_token), 401, 'service.not_authorized');
  });

  it('refuses more scopes than were granted, naming them', async () => {
    const { refresh_token } = await grantToNewMerchant(['PAYMENTS_READ']);
    const answer = await refresh(refresh_token, { scopes: ['ORDERS_READ'] });
    expectRefusal(answer, 400, 'bad_request.invalid_parameter', 'scopes');
    expect(answer.body.message).toContain('ORDERS_READ');
  });
});

describe('a public application (RFC 7636)', () => {
  it('proves with the verifier that it started the flow, and gets a single-use refresh token for 90 days', async () => {
    const tokens = await allowPublic(server, publicApplication, owner);
    expect(daysFromNow(tokens.refresh_token_expires_at ?? '')).toBeCloseTo(90, 2);
    expect(await statusOf(server, tokens.access_token)).toBe('valid');

    const { status, body } = await refreshPublic(tokens.refresh_token);
    expect([status, body.refresh_token === tokens.refresh_token]).toEqual([200, false]);
    expect(daysFromNow(body.refresh_token_expires_at)).toBeCloseTo(90, 2);
    expect((await refreshPublic(body.refresh_token)).status).toBe(200);
  });

  it('loses all tokens when a used refresh token is sent again', async () => {
    const tokens = await allowPublic(server, publicApplication, owner);
    const { body } = await refreshPublic(tokens.refresh_token);
    expectRefusal(await refreshPublic(tokens.refresh_token), 401, 'service.not_authorized');
    for (const token of [tokens.access_token, body.access_token]) {
      expect(await statusOf(server, token)).toBe('401 ACCESS_TOKEN_REVOKED');
    }
    expectRefusal(await refreshPublic(body.refresh_token), 401, 'service.not_authorized');
  });

  it('is refused with a refresh token that is older than 90 days', async () => {
    const { refresh_token, access_token } = await allowPublic(server, publicApplication, owner);
    await server.database.sql`
      update refresh_tokens set expires_at = now() where token_hash = ${hashSecret(refresh_token)}`;
    expectRefusal(await refreshPublic(refresh_token), 401, 'service.not_authorized');
    expect(await statusOf(server, access_token)).toBe('valid'); // an expired token is not treated as stolen
  });

  it('is refused with a wrong verifier, the challenge itself, none, or any secret', async () => {
    const { verifier, parameters } = createPkcePair();
    const code = await allow(server, publicApplication, owner, parameters);
    const ask = (change: Record<string, unknown>): Promise<ApiResponse> =>
      obtainToken(server, { client_id: publicApplication.id, grant_type: 'authorization_code', code, ...change });
    for (const code_verifier of [createPkcePair().verifier, parameters['code_challenge'], verifier.slice(1)]) {
      expectRefusal(await ask({ code_verifier }), 401, 'service.not_authorized');
    }
    expectRefusal(await ask({}), 400, 'bad_request.missing_parameter', 'code_verifier');
    const withSecret = await ask({ code_verifier: verifier, client_secret: application.secret });
    expectRefusal(withSecret, 401, 'service.not_authorized');
    expect((await ask({ code_verifier: verifier })).status).toBe(200);
  });

  it('is refused without a challenge', async () => {
    const { page } = await new Browser().visit(authorizeUrl(server, publicApplication));
    expect([page.status, page.headers['location']]).toEqual([400, undefined]);
    expect(page.text).toContain('code_challenge');
  });

  it('keeps its tokens if an attacker replays its code', async () => {
    const { verifier, parameters } = createPkcePair();
    const code = await allow(server, publicApplication, owner, parameters);
    const ask = (change: Record<string, unknown>): Promise<ApiResponse> =>
      obtainToken(server, { client_id: publicApplication.id, grant_type: 'authorization_code', code, ...change });
    const { access_token } = (await ask({ code_verifier: verifier })).body;
    for (const code_verifier of [createPkcePair().verifier, parameters['code_challenge']]) {
      expectRefusal(await ask({ code_verifier }), 401, 'service.not_authorized');
    }
    expect(await statusOf(server, access_token)).toBe('valid');
    expectRefusal(await ask({ code_verifier: verifier }), 401, 'service.not_authorized');
    expect(await statusOf(server, access_token)).toBe('401 ACCESS_TOKEN_REVOKED');
  });

  it('has no secret, and gets single-use tokens from the operator too', async () => {
    const { refresh_token, refresh_token_expires_at } = await grant(server, publicApplication, owner.merchant.id);
    expect(daysFromNow(refresh_token_expires_at ?? '')).toBeCloseTo(90, 2);
    expect([(await refreshPublic(refresh_token)).status, (await refreshPublic(refresh_token)).status]).toEqual([
      200, 401,
    ]);
    expect(publicApplication.secret).toBe('');
  });
});

describe('a confidential application', () => {
  const withoutSecret = (code: string) => ({ client_id: application.id, grant_type: 'authorization_code', code });

  it('may use PKCE in addition to its secret, and never instead of it', async () => {
    const { verifier, parameters } = createPkcePair();
    const code = await allow(server, application, owner, parameters);
    const withVerifier = { ...withoutSecret(code), code_verifier: verifier };
    expectRefusal(await obtainToken(server, withVerifier), 400, 'bad_request.missing_parameter', 'client_secret');
    expectRefusal(
      await obtainToken(server, { ...withVerifier, client_secret: other.secret }),
      401,
      'service.not_authorized',
    );
    expectRefusal(await exchange(code), 401, 'service.not_authorized'); // the secret does not replace the verifier either
    const { body } = await exchange(code, { code_verifier: verifier });
    expect(body.refresh_token_expires_at).toBeUndefined();
    for (const _ of ['once', 'again']) expect((await refresh(body.refresh_token)).status).toBe(200);
  });

  it('keeps its tokens if an attacker without the secret replays its code', async () => {
    const code = await allow(server, application, owner);
    const { access_token } = (await exchange(code)).body;
    expect((await obtainToken(server, withoutSecret(code))).status).toBe(400);
    for (const change of [{ client_secret: 'guessed' }, { client_secret: other.secret }]) {
      expectRefusal(await obtainToken(server, { ...withoutSecret(code), ...change }), 401, 'service.not_authorized');
    }
    expectRefusal(await exchange(code, {}, other), 401, 'service.not_authorized');
    expect(await statusOf(server, access_token)).toBe('valid');
    expectRefusal(await exchange(code), 401, 'service.not_authorized');
    expect(await statusOf(server, access_token)).toBe('401 ACCESS_TOKEN_REVOKED');
  });

  it('is refused with a verifier if it sent no challenge (RFC 9700 2.1.1)', async () => {
    const code = await allow(server, application, owner);
    expectRefusal(await exchange(code, { code_verifier: createPkcePair().verifier }), 401, 'service.not_authorized');
  });
});

describe('oauth2.revokeToken', () => {
  const revoke = (body: Record<string, unknown>, headers = asClient(application).headers): Promise<ApiResponse> =>
    server.call('POST', '/oauth2/revoke', { headers, body: { client_id: application.id, ...body } });

  it('revokes all tokens of the merchant, whichever is sent, and none of other merchants', async () => {
    const merchantId = (await server.createMerchant()).id;
    const [one, two] = [await grant(server, application, merchantId), await grant(server, application, merchantId)];
    const [stranger, elsewhere] = [await grantToNewMerchant(), await grant(server, other, merchantId)];
    expect([(await revoke({ access_token: one.access_token })).body]).toEqual([{ success: true }]);
    for (const { access_token, refresh_token } of [one, two]) {
      expect(await statusOf(server, access_token)).toBe('401 ACCESS_TOKEN_REVOKED');
      expectRefusal(await refresh(refresh_token), 401, 'service.not_authorized');
      const v1 = await server.call('GET', '/v1/me', { token: access_token });
      expectRefusal(v1, 401, 'oauth.revoked');
    }
    for (const { access_token } of [stranger, elsewhere]) expect(await statusOf(server, access_token)).toBe('valid');
  });

  it('accepts the merchant id, a Bearer header, a form, and a second request', async () => {
    const { merchant_id, access_token } = await grantToNewMerchant();
    const bearerHeader = { authorization: `Bearer Client ${application.secret}` };
    expect((await revoke({ merchant_id }, bearerHeader)).body).toEqual({ success: true });
    expect(await statusOf(server, access_token)).toBe('401 ACCESS_TOKEN_REVOKED');
    expect((await revoke({ merchant_id })).body).toEqual({ success: true });
    const form = await server.call('POST', '/oauth2/revoke', {
      headers: { ...asClient(application).headers, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ client_id: application.id, access_token }).toString(),
    });
    expect(form.body).toEqual({ success: true });
  });

  it('revokes one access token alone if requested', async () => {
    const { access_token, refresh_token } = await grantToNewMerchant();
    expect((await revoke({ access_token, revoke_only_access_token: true })).body).toEqual({ success: true });
    expect(await statusOf(server, access_token)).toBe('401 ACCESS_TOKEN_REVOKED');
    expect((await refresh(refresh_token)).status).toBe(200);
  });

  it('refuses neither, both, and unknown tokens or merchants (contract 11.5)', async () => {
    const { access_token, merchant_id } = await grantToNewMerchant();
    expectRefusal(await revoke({}), 400, 'bad_request.missing_parameter', 'access_token');
    expectRefusal(await revoke({ access_token, merchant_id }), 400, 'bad_request.invalid_parameter', 'merchant_id');
    expectRefusal(await revoke({ access_token: 'EAAAnobody' }), 404, 'not_found', 'access_token');
    expectRefusal(await revoke({ access_token: owner.merchant.token }), 404, 'not_found', 'access_token');
    const theirs = await grant(server, other, merchant_id);
    expectRefusal(await revoke({ access_token: theirs.access_token }), 404, 'not_found', 'access_token');
    const { id } = await server.createMerchant();
    expectRefusal(await revoke({ merchant_id: id }), 404, 'not_found', 'merchant_id');
    expect(await statusOf(server, access_token)).toBe('valid');
  });

  it('refuses a wrong secret, no secret, and the secret of another application', async () => {
    const { access_token } = await grantToNewMerchant();
    for (const headers of [asClient({ secret: 'sq0csp-wrong' }).headers, asClient(other).headers]) {
      expectBody(await revoke({ access_token }, headers), WRONG_CLIENT);
    }
    for (const authorization of [
      '',
      application.secret,
      `Bearer ${application.secret}`,
      `Basic ${application.secret}`,
    ]) {
      expectRefusal(await revoke({ access_token }, { authorization }), 401, 'service.not_authorized');
    }
    expect(await statusOf(server, access_token)).toBe('valid');
  });
});

describe('oauth2.renewToken', () => {
  const renew = (access_token: string, by = application, id = by.id): Promise<ApiResponse> =>
    server.call('POST', `/oauth2/clients/${id}/access-token/renew`, { ...asClient(by), body: { access_token } });
  const expireDaysAgo = (token: string, days: number) => server.database.sql`
    update access_tokens set expires_at = now() - make_interval(secs => ${days * 86_400})
    where token_hash = ${hashSecret(token)}`;

  it('returns a new token for 30 days with the same permissions, until 15 days after the old one expires', async () => {
    const { access_token, merchant_id } = await grantToNewMerchant(['ORDERS_READ']);
    for (const days of [-30, 0, 14.99]) {
      await expireDaysAgo(access_token, days);
      const { status, body, text } = await renew(access_token);
      expect([status, body], text).toEqual([
        200,
        {
          access_token: expect.stringMatching(/^EAAA[\w-]{60}$/),
          token_type: 'bearer',
          expires_at: expect.any(String),
          merchant_id,
        },
      ]);
      expect(daysFromNow(body.expires_at)).toBeCloseTo(30, 2);
      const asked = await server.call('POST', '/oauth2/token/status', { token: body.access_token });
      expect(asked.body).toMatchObject({ scopes: ['ORDERS_READ'], client_id: application.id, merchant_id });
    }
  });

  it('refuses a token that expired more than 15 days ago, was revoked, or belongs to another application', async () => {
    const { access_token } = await grantToNewMerchant();
    await expireDaysAgo(access_token, 15.01);
    expectRefusal(await renew(access_token), 401, 'oauth.expired');
    const revoked = await grantToNewMerchant();
    await server.call('POST', '/oauth2/revoke', {
      ...asClient(application),
      body: { access_token: revoked.access_token, client_id: application.id },
    });
    expectRefusal(await renew(revoked.access_token), 401, 'oauth.revoked');
    for (const unknown of ['EAAAnobody', owner.merchant.token]) {
      expectRefusal(await renew(unknown), 404, 'not_found', 'access_token');
    }
    expectRefusal(await renew((await grantToNewMerchant()).access_token, other), 404, 'not_found', 'access_token');
    expectRefusal(await renew((await grantToNewMerchant()).access_token, application, other.id), 404, 'not_found');
  });
});

describe('oauth2.retrieveTokenStatus', () => {
  it('returns the permissions, the merchant and the expiry of a token', async () => {
    const { access_token: token, expires_at, merchant_id } = await grantToNewMerchant(['PAYMENTS_READ']);
    const { status, body } = await server.call('POST', '/oauth2/token/status', { token });
    expect([status, body]).toEqual([
      200,
      { scopes: ['PAYMENTS_READ'], expires_at, client_id: application.id, merchant_id },
    ]);
  });

  it('returns a personal token without an expiry', async () => {
    const { body } = await server.call('POST', '/oauth2/token/status', { token: owner.merchant.token });
    expect(body).toMatchObject({ merchant_id: owner.merchant.id, client_id: expect.stringMatching(/^sq0idp-/) });
    expect(body).not.toHaveProperty('expires_at');
  });

  it('returns 401 in the v2 format for an unknown, expired or revoked token', async () => {
    const { access_token } = await grantToNewMerchant();
    expect(await statusOf(server, 'EAAAnobody')).toBe('401 UNAUTHORIZED');
    await server.operator('POST', '/api/sandbox/tokens/expire', { access_token });
    expect(await statusOf(server, access_token)).toBe('401 ACCESS_TOKEN_EXPIRED');
    expectRefusal(await server.call('GET', '/v1/me', { token: access_token }), 401, 'oauth.expired');
  });
});

describe('an idempotency key', () => {
  it('belongs to the application: the same key of two applications creates two payments', async () => {
    const merchantId = owner.merchant.id;
    const ids = [];
    for (const each of [application, application, other]) {
      const { access_token: token } = await grant(server, each, merchantId);
      const body = {
        source_id: 'cnon:card-nonce-ok',
        idempotency_key: 'the-same',
        amount_money: { amount: 100, currency: 'USD' },
      };
      ids.push((await server.call('POST', '/v2/payments', { token, body })).body.payment.id);
    }
    expect(ids[0]).toBe(ids[1]);
    expect(ids[2]).not.toBe(ids[0]);
  });
});
