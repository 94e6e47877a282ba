/** The metadata that applications can read about this server without other knowledge (RFC 8414). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PERMISSIONS } from '../../src/identity/permissions.js';
import { Browser } from '../support/browser.js';
import { callApi } from '../support/http.js';
import {
  allow,
  authorizeUrl,
  createApplication,
  createOwner,
  createPkcePair,
  redirectParameters,
} from '../support/oauth.js';
import { freePort } from '../support/ports.js';
import { startTestServer, type TestServer } from '../support/server.js';

const PATH = '/.well-known/oauth-authorization-server';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

describe('the metadata of the authorization server', () => {
  it('lists the endpoints and methods, for every caller and origin, and is cacheable', async () => {
    const { status, headers, body } = await server.call('GET', PATH);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'public, max-age=3600',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    });
    expect(headers['set-cookie']).toBeUndefined();
    expect(body).toEqual({
      issuer: server.baseUrl,
      authorization_endpoint: `${server.baseUrl}/oauth2/authorize`,
      token_endpoint: `${server.baseUrl}/oauth2/token`,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['client_secret_post', 'none'],
      code_challenge_methods_supported: ['S256'],
      scopes_supported: PERMISSIONS,
      authorization_response_iss_parameter_supported: true,
      service_documentation: `${server.baseUrl}/docs`,
    });
  });

  it('contains the issuer that the authorization response carries (RFC 9207)', async () => {
    const [application, owner] = [await createApplication(server), await createOwner(server)];
    const browser = await new Browser().visit(authorizeUrl(server, application));
    await browser.signIn(owner.email);
    await browser.submit({ decision: 'allow' });
    expect((await server.call('GET', PATH)).body.issuer).toBe(redirectParameters(browser)['iss']);
  });

  it('contains the public address if one is set', async () => {
    const port = await freePort();
    const behind = await startTestServer({ config: { port, publicUrl: 'https://till.example' } });
    try {
      const { body } = await callApi(`http://127.0.0.1:${port}`, 'GET', PATH);
      expect([body.issuer, body.token_endpoint]).toEqual(['https://till.example', 'https://till.example/oauth2/token']);
    } finally {
      await behind.stop();
    }
  });

  it('is correct: an application that uses only the metadata obtains its tokens', async () => {
    const { body: known } = await server.call('GET', PATH);
    const [application, owner] = [await createApplication(server), await createOwner(server)];
    const { verifier, parameters } = createPkcePair();
    expect(known.code_challenge_methods_supported).toContain(parameters['code_challenge_method']);
    expect(authorizeUrl(server, application)).toContain(known.authorization_endpoint);
    const code = await allow(server, application, owner, parameters);
    const answer = await fetch(known.token_endpoint, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: known.grant_types_supported[0],
        client_id: application.id,
        client_secret: application.secret,
        code,
        code_verifier: verifier,
      }),
    });
    expect(answer.status).toBe(200);
  });

  it('is read-only', async () => {
    expect((await server.call('POST', PATH, { body: {} })).status).toBe(404);
  });
});
