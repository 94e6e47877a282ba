/** The documentation in a real browser: the reference with the demo's token, search, and the guides. */
import axe from 'axe-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ensurePages } from '../support/pages.js';
import { RealBrowser } from '../support/real-browser.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { expectAccessible, expectNoSidewaysScroll, PHONE, type Visit, visit } from './dashboard-visit.js';

/** What axe finds in the parts that the renderer draws (decision 0167). */
const OF_THE_RENDERER = ['button-name', 'color-contrast', 'scrollable-region-focusable'];

let server: TestServer;
let browser: RealBrowser;

beforeAll(async () => {
  ensurePages();
  [server, browser] = [await startTestServer({ config: { demo: true, demoHistory: false } }), await RealBrowser.open()];
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});
afterEach(() => browser.clear());

async function open(path: string, options = {}): Promise<Visit> {
  const visitor = await visit(browser, server, undefined, options);
  await visitor.open(path);
  return visitor;
}

/** The rules that a part of the page breaks. */
async function brokenRules({ page }: Visit, part: string): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(
    async (selector) =>
      (await (window as unknown as { axe: typeof axe }).axe.run(selector)).violations.map(({ id }) => id),
    part,
  );
}

describe('the reference', () => {
  it('is complete without other servers, and search leads to an operation with its example, which is sent', async () => {
    const visitor = await open('/docs');
    const { page } = visitor;
    await page.getByText('Examples have ids and a token of the demo business').waitFor();
    await page.getByRole('button', { name: /search/i }).click();
    await page.getByRole('combobox').fill('createPayment');
    await page
      .getByRole('option', { name: /createPayment/ })
      .first()
      .click();
    await page.waitForURL(/#.*v2\/payments/);
    await page.getByText('"cnon:card-nonce-ok"').first().waitFor();
    const { body } = await server.call('GET', '/openapi.json');
    const location = body.paths['/v2/payments'].post.requestBody.content['application/json'].example.location_id;
    expect(await page.getByText(location).count()).toBe(0); // the demo's location has taken its place
    await page.getByRole('button', { name: 'Test Request (post /v2/payments)' }).click();
    const answered = page.waitForResponse((each) => new URL(each.url()).pathname === '/v2/payments');
    await page.getByRole('button', { name: /^Send post request to/i }).click();
    const response = await answered; // sent by this page, with the demo's token
    expect([response.request().method(), response.status()]).toEqual(['POST', 200]);
    await page.getByRole('dialog').getByText('COMPLETED').first().waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  it.each(['light', 'dark'] as const)(
    'is accessible in %s, except for known parts of the renderer',
    async (colorScheme) => {
      const visitor = await open('/docs', { colorScheme });
      await visitor.page.getByRole('button', { name: /search/i }).waitFor();
      expect(await brokenRules(visitor, '.bar')).toEqual([]);
      expect(await brokenRules(visitor, '#demo-note')).toEqual([]);
      const broken = await brokenRules(visitor, '#reference');
      expect(broken.filter((rule) => !OF_THE_RENDERER.includes(rule))).toEqual([]);
      expect(visitor.complaints).toEqual([]);
    },
  );
});

describe('a guide', () => {
  it.each([
    ['light', {}],
    ['dark', { colorScheme: 'dark' }],
    ['a phone', PHONE],
  ] as const)('is accessible and leads to the others, in %s', async (_, options) => {
    const visitor = await open('/docs/guides/tutorial', options);
    const { page } = visitor;
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await page.getByRole('navigation', { name: 'Guides' }).getByRole('link', { name: 'Errors' }).click();
    await page.getByRole('heading', { name: 'Errors', level: 1 }).waitFor();
    await expectAccessible(page);
    expect(visitor.complaints).toEqual([]);
  });
});

describe('the demo token', () => {
  it('is given to pages of this server only', async () => {
    const own = await server.call('POST', '/docs/demo-token', { headers: { origin: server.baseUrl } });
    expect([own.status, own.headers['cache-control']]).toEqual([200, 'no-store']);
    expect((await server.call('GET', '/v2/locations', { token: own.body.access_token })).status).toBe(200);
    for (const headers of [{}, { origin: 'https://evil.example' }, { origin: 'null' }]) {
      expect((await server.call('POST', '/docs/demo-token', { headers })).status).toBe(403);
    }
  });
});
