/** How large and how deep bodies may be, and what is counted before they are read (decision 0216). */
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { OPEN_BODY_BYTES } from '../../../src/api/body-limits.js';
import { createOwner } from '../../support/dashboard.js';
import { createStore } from '../../support/orders.js';
import { paymentBody } from '../../support/payments.js';
import { type TestServer, withSharedDatabase } from '../../support/server.js';

const serve = withSharedDatabase(); // requests are counted in memory, so each server counts for itself

const lists = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const FORM = 'application/x-www-form-urlencoded';

describe('a body', () => {
  it('is nested at most 32 levels deep, and brackets in texts are no levels', () =>
    serve({}, async (server) => {
      const { token } = await server.createMerchant();
      const pay = (more: string) => {
        const body = JSON.stringify({ ...paymentBody(), filler: 0 }).replace('"filler":0', more);
        return server.call('POST', '/v2/payments', { token, body });
      };
      expect((await pay(`"filler":${lists(31)}`)).status).toBe(200);
      const { status, body } = await pay(`"filler":${lists(32)}`);
      expect([status, body.errors]).toEqual([
        400,
        [
          {
            category: 'INVALID_REQUEST_ERROR',
            code: 'EXPECTED_JSON_BODY',
            detail: 'The body is nested more than 32 levels deep.',
          },
        ],
      ]);
      const brackets = JSON.stringify(`${'['.repeat(100)}"${'{'.repeat(100)}\\`);
      expect((await pay(`"note":${brackets}`)).body.payment.note).toBe(JSON.parse(brackets));
      expect((await pay(`"filler":[${'[],{},'.repeat(100)}"\\\\",[]]`)).status).toBe(200);
      // What is not closed in a text is refused by the parser.
      expect((await pay(`"filler":"${'['.repeat(100)}`)).body.errors[0].detail).toMatch(/not valid JSON/);
    }));

  it('has at most 16 KiB where nobody is known, and more where the caller is', () =>
    serve({}, async (server) => {
      const owner = await createOwner(server);
      const padding = (size: number) => JSON.stringify({ padding: 'x'.repeat(size - '{"padding":""}'.length) });
      const statusOf = async (path: string, size: number, options = {}) =>
        (await server.call('POST', path, { ...options, body: padding(size) })).status;
      const store = await createStore(server);
      const OPEN = [
        ['/api/dashboard/session'],
        ['/oauth2/token'],
        ['/api/register/pairing-codes/state'],
        ['/api/register/pairing-codes/answer'],
        ['/api/checkout/prices', { token: store.key }],
      ] as const;
      for (const [path, options] of OPEN) {
        expect([path, await statusOf(path, OPEN_BODY_BYTES, options)]).toEqual([path, 400]);
        expect([path, await statusOf(path, OPEN_BODY_BYTES + 1, options)]).toEqual([path, 413]);
      }
      const { token } = owner.merchant;
      expect(await statusOf('/v2/payments', 256 * 1024, { token })).toBe(400);
      expect(await statusOf('/v2/payments', 256 * 1024 + 1, { token })).toBe(413);
      expect(await statusOf('/v1/me/refunds', 1024 * 1024, { token })).toBe(400);
      expect(await statusOf('/v1/me/refunds', 1024 * 1024 + 1, { token })).toBe(413);
    }));

  it('that is a form of a page has at most 16 KiB, and the refusal is a page', () =>
    serve({}, async (server) => {
      const send = (size: number) =>
        server.call('POST', '/oauth2/authorize', {
          body: 'x'.repeat(size),
          headers: { 'content-type': FORM, origin: 'null' },
        });
      expect((await send(OPEN_BODY_BYTES)).status).not.toBe(413);
      const { status, headers, text } = await send(OPEN_BODY_BYTES + 1);
      expect([status, headers['content-type']]).toEqual([413, 'text/html; charset=utf-8']);
      expect(text).toContain('<h1>The request failed</h1>');
    }));
});

/** The status of the response to a request that announces a body and does not send it. */
async function withoutBody({ baseUrl }: TestServer, path: string, headers = ''): Promise<number> {
  const { host, hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  const lines = [`POST ${path} HTTP/1.1`, `Host: ${host}`, 'Content-Type: application/json', 'Content-Length: 1000'];
  socket.write(`${lines.join('\r\n')}\r\n${headers}\r\n[[[`);
  const [chunk] = await once(socket, 'data');
  socket.destroy();
  return Number(String(chunk).split(' ')[1]);
}

describe('requests without a secret', () => {
  /** The status of the response to a request that announces a body and never sends it. */

  it('are counted before their body is read', () =>
    serve({ guards: { openRequests: 2, oauth: 2 } }, async (server) => {
      const store = await createStore(server);
      const surfaces = [
        ['/api/dashboard/session', ''],
        ['/api/register/pairing-codes', ''],
        ['/api/register/pairing-codes/state', ''],
        ['/api/register/pairing-codes/answer', ''],
        ['/api/checkout/prices', `Authorization: Bearer ${store.key}\r\n`],
        ['/api/checkout/orders', `Authorization: Bearer ${store.key}\r\n`],
        ['/api/sandbox/session', ''],
        ['/oauth2/token', ''],
        ['/oauth2/authorize', 'Origin: null\r\n'],
      ] as const;
      for (const path of ['/api/dashboard/session', '/oauth2/token']) {
        for (let sent = 0; sent < 2; sent++) expect((await server.call('POST', path, { body: '[' })).status).toBe(400);
      }
      for (const [path, headers] of surfaces)
        expect([path, await withoutBody(server, path, headers)]).toEqual([path, 429]);
    }));

  it('do not count for those with a secret', () =>
    serve({ guards: { openRequests: 1 } }, async (server) => {
      const { token } = await server.createMerchant();
      await server.call('POST', '/api/dashboard/session', { body: {} });
      expect((await server.call('POST', '/api/dashboard/session', { body: {} })).status).toBe(429);
      expect((await server.call('POST', '/v2/payments', { token, body: paymentBody() })).status).toBe(200);
    }));
});

it('a request with a wrong credential is refused before its body arrives', () =>
  serve({}, async (server) => {
    for (const path of ['/v1/me/refunds', '/v2/payments', '/api/register/queue', '/api/checkout/orders']) {
      expect([path, await withoutBody(server, path, 'Authorization: Bearer guess\r\n')]).toEqual([path, 401]);
    }
  }));
