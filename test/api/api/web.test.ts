/** How the server delivers the pages: shells, assets, the start address, and the sign-in to the demo. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operationsOn } from '../../../src/operations.js';
import { cookieOf } from '../../support/dashboard.js';
import { callApi } from '../../support/http.js';
import { ensurePages, firstLoad, listPageFiles, PAGES, readPageFile } from '../../support/pages.js';
import { freePort } from '../../support/ports.js';
import { startProduction, startTestServer, type TestServer, withServer } from '../../support/server.js';

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const DEMO = { demo: true, demoHistory: false } as const;

let server: TestServer;
beforeAll(async () => {
  ensurePages();
  server = await startTestServer({ config: DEMO });
});
afterAll(() => server.stop());

async function fetchRaw(path: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(server.baseUrl + path, { headers, redirect: 'manual' });
}

describe('/dashboard', () => {
  it.each(['/dashboard', '/dashboard/', '/dashboard/timecards?employee=1', '/dashboard/payouts/some/deep/link'])(
    'at %s is the shell, with a policy of its own',
    async (path) => {
      const { status, headers, text } = await server.call('GET', path);
      expect([status, headers['content-type'], headers['cache-control']]).toEqual([
        200,
        'text/html; charset=utf-8',
        'no-cache',
      ]);
      expect(text).toContain('<div id="root">');
      const policy = String(headers['content-security-policy']);
      for (const part of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"]) {
        expect(policy.split('; ')).toContain(part);
      }
      expect(policy).not.toMatch(/script-src[^;]*unsafe/);
    },
  );

  it('contains no script of its own and nothing from elsewhere', () => {
    for (const place of ['dashboard', 'register', 'store', 'console', 'start']) {
      const html = readPageFile(`${place}/index.html`);
      expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|https?:|\bon[a-z]+=/);
    }
  });

  it('is sent again only if it has changed', async () => {
    const tag = (await fetchRaw('/dashboard')).headers.get('etag') ?? '';
    const again = await fetchRaw('/dashboard', { 'if-none-match': tag });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  it('accepts no other method', async () => {
    expect((await server.call('POST', '/dashboard', { body: {} })).status).toBe(404);
  });
});

describe('assets', () => {
  it('are immutable, and every one is found', async () => {
    const assets = listPageFiles().filter((name) => name.startsWith('assets/'));
    expect(assets.length).toBeGreaterThan(10);
    for (const name of assets) {
      const response = await fetchRaw(`/${name}`, { 'accept-encoding': 'identity' });
      expect([name, response.status]).toEqual([name, 200]);
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(await response.text()).toBe(readPageFile(name));
    }
  });

  it.each([
    ['br, gzip', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['identity', null],
  ])('for Accept-Encoding %s are sent as %s', async (accepted, encoding) => {
    const [name = ''] = [...firstLoad('dashboard')].filter((each) => each.endsWith('.css'));
    const response = await fetchRaw(`/${name}`, { 'accept-encoding': accepted });
    expect([response.headers.get('content-encoding'), response.headers.get('vary')]).toEqual([
      encoding,
      'accept-encoding',
    ]);
    expect(await response.text()).toBe(readPageFile(name)); // `fetch` unpacks it
  });

  it('that do not exist are a 404 in JSON', async () => {
    for (const path of ['/assets/nothing.js', '/assets/../package.json', '/assets/%2e%2e/%2e%2e/package.json']) {
      const { status, headers } = await server.call('GET', path);
      expect([status, headers['content-type']]).toEqual([404, 'application/json']);
    }
  });

  it.each([
    ['dashboard', 350_000],
    ['register', 250_000],
    ['store', 250_000],
    ['console', 250_000],
  ])('of the first load of the %s have at most %i bytes, compressed', (place, most) => {
    const names = [...firstLoad(place)];
    expect(names.filter((name) => name.endsWith('.js')).length).toBeGreaterThan(2);
    const sizes = names.map((name) => {
      try {
        return statSync(join(PAGES, `${name}.br`)).size;
      } catch {
        return statSync(join(PAGES, name)).size; // too small to be compressed
      }
    });
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(most);
  });
});

describe('/register', () => {
  it.each(['/register', '/register/', '/register/sales?query=1'])('at %s is the shell', async (path) => {
    const { status, headers, text } = await server.call('GET', path);
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'text/html; charset=utf-8',
      'no-cache',
    ]);
    expect(text).toContain('rel="manifest"');
  });

  it('has a service worker for the whole place, which asks the server for its own files only', async () => {
    const { status, headers, text } = await server.call('GET', '/register/service-worker.js');
    expect([status, headers['content-type'], headers['service-worker-allowed'], headers['cache-control']]).toEqual([
      200,
      'text/javascript; charset=utf-8',
      '/register',
      'no-cache',
    ]);
    expect(String(headers['content-security-policy'])).toContain("connect-src 'self'");
    expect(text).not.toMatch(/__FILES__|__VERSION__/);
    const [, list = '[]'] = /(\["\/register".*?\])/.exec(text) ?? [];
    const files = JSON.parse(list) as string[];
    for (const name of firstLoad('register')) expect(files).toContain(`/${name}`);
    for (const path of files) expect([path, (await fetchRaw(path)).status]).toEqual([path, 200]);
  });

  it('can be installed', async () => {
    const { status, headers, body } = await server.call('GET', '/register/manifest.webmanifest');
    expect([status, headers['content-type']]).toEqual([200, 'application/manifest+json']);
    expect(body).toMatchObject({ start_url: '/register', scope: '/register', display: 'standalone' });
    for (const { src, type } of body.icons) {
      const icon = await fetchRaw(src);
      expect([src, icon.status, icon.headers.get('content-type')]).toEqual([src, 200, type]);
    }
  });
});

describe('what a page contains of the server', () => {
  it('is name, method and path of each operation, and neither the driver nor the framework', () => {
    const code = listPageFiles()
      .filter((name) => name.endsWith('.js'))
      .map(readPageFile)
      .join('\n');
    const called = (['dashboard', 'register', 'checkout', 'sandbox'] as const).flatMap((surface) =>
      operationsOn(surface),
    );
    for (const { path } of called) expect(code).toContain(path);
    for (const { summary } of called) expect(code).not.toContain(summary);
    for (const word of ['fastify', 'porsager', 'pg_catalog', 'ajv', 'merchant_id = ', 'node:crypto', 'node:net']) {
      expect([word, code.includes(word)]).toEqual([word, false]);
    }
  });
});

describe('the start address', () => {
  it('is a page for browsers', async () => {
    const { status, text, headers } = await server.call('GET', '/', { headers: HTML });
    expect(status).toBe(200);
    expect(text).toContain('<div id="root">');
    expect(headers['vary']).toBe('accept, accept-encoding');
  });

  it.each([undefined, '*/*', 'application/json'])('is a 404 in JSON for programs (Accept: %s)', async (accept) => {
    const { status, body } = await server.call('GET', '/', { headers: accept === undefined ? {} : { accept } });
    expect(status).toBe(404);
    expect(body.errors[0]).toMatchObject({ code: 'NOT_FOUND', detail: 'There is no GET /.' });
  });

  it('leads to the dashboard in production', async () => {
    const pair = await startProduction();
    try {
      const { status, headers } = await pair.production.call('GET', '/', { headers: HTML });
      expect([status, headers['location']]).toEqual([303, '/dashboard']);
    } finally {
      await pair.stop();
    }
  });
});

describe('signing in to the demo', () => {
  const enter = (at: TestServer, headers: Record<string, string>) =>
    at.call('POST', '/dashboard/demo-sign-in', { headers });
  const isOffered = async (at: TestServer, headers: Record<string, string> = {}): Promise<boolean> =>
    (await at.call('GET', '/api/dashboard/demo-sign-in', { headers })).body.available;
  const expectRefused = async (at: TestServer, headers: Record<string, string>): Promise<void> => {
    const answer = await enter(at, headers);
    expect([answer.status, answer.headers['set-cookie']]).toEqual([403, undefined]);
  };

  it("opens a session of the demo's owner for a page of this server, on this machine", async () => {
    expect(await isOffered(server)).toBe(true);
    const answer = await enter(server, { origin: server.baseUrl });
    expect([answer.status, answer.headers['location']]).toEqual([303, '/dashboard']);
    const session = await server.call('GET', '/api/dashboard/session', { headers: { cookie: cookieOf(answer) } });
    expect(session.body.email).toBe('owner@juniper-and-rye.example');
  });

  it("names the page of the demo's store, which is open", async () => {
    const { store_path: path } = (await server.call('GET', '/api/dashboard/demo-sign-in')).body;
    const { status, text } = await server.call('GET', path);
    expect(status).toBe(200);
    expect(text).toContain('<title>Juniper &amp; Rye</title>');
  });

  it.each([
    ['no origin', {}],
    ['the origin of another site', { origin: 'https://evil.example' }],
    ['the origin of another port', { origin: 'http://127.0.0.1:1' }],
    ['an origin that the browser hides', { origin: 'null' }],
  ])('is refused with %s', async (_, headers) => {
    await expectRefused(server, headers as Record<string, string>);
  });

  it.each([
    'forwarded',
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-proto',
    'x-forwarded-port',
    'x-real-ip',
    'via',
    'cf-connecting-ip',
    'cf-ray',
    'cdn-loop',
    'true-client-ip',
    'x-client-ip',
    'x-original-host',
  ])('is refused behind a proxy that sends %s', async (name) => {
    await expectRefused(server, { origin: server.baseUrl, [name]: '203.0.113.7' });
    expect(await isOffered(server, { [name]: '203.0.113.7' })).toBe(false);
  });

  it.each([
    ['listens beyond loopback', { host: '0.0.0.0', demoBeyondLoopback: true }],
    ['trusts a proxy', { trustProxy: { hops: 1 } }],
    ['has no demo business', { demo: false }],
  ])('is refused by a server that %s', async (_, config) => {
    await withServer({ config: { ...DEMO, ...config } }, async (other) => {
      await expectRefused(other, { origin: other.baseUrl });
      expect(await isOffered(other)).toBe(false);
    });
  });

  it('is refused by a server that has a public name', async () => {
    const port = await freePort();
    await withServer({ config: { ...DEMO, port, publicUrl: 'https://till.example' } }, async () => {
      const local = `http://127.0.0.1:${port}`;
      for (const origin of [local, 'https://till.example']) {
        expect((await callApi(local, 'POST', '/dashboard/demo-sign-in', { headers: { origin } })).status).toBe(403);
      }
    });
  });

  it('is refused in production', async () => {
    const pair = await startProduction();
    try {
      await expectRefused(pair.production, { origin: pair.production.baseUrl });
      expect(await isOffered(pair.production)).toBe(false);
    } finally {
      await pair.stop();
    }
  });
});
