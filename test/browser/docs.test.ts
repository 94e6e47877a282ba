/** The documentation in a real browser: the reference with the demo's token, search, and the guides. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startPageServer } from '../support/page-server.js';
import { RealBrowser } from '../support/real-browser.js';
import type { TestServer } from '../support/server.js';
import {
  asPhone,
  brokenRules,
  expectAccessible,
  expectNoSidewaysScroll,
  type Visit,
  visit,
} from './dashboard-visit.js';

/** What axe finds in the parts that the renderer draws (decision 0167). */
const OF_THE_RENDERER = ['button-name', 'color-contrast', 'scrollable-region-focusable'];
/** What can differ between light and dark. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

let server: TestServer;
let browser: RealBrowser;

beforeAll(async () => {
  [server, browser] = [await startPageServer({ config: { demo: true, demoHistory: false } }), await RealBrowser.open()];
});
afterAll(() => server.stop());
afterEach(() => browser.close());

async function open(path: string, options = {}): Promise<Visit> {
  const visitor = await visit(browser, server, undefined, options);
  await visitor.open(path);
  return visitor;
}

describe('the reference', () => {
  it('needs no other server and is accessible; an address opens an operation, and search another, whose example is sent', async () => {
    const { page, complaints, open: goOn } = await open('/docs');
    await page.getByText('Examples of v1 and v2 have ids and a token of the demo business').waitFor();
    await page.getByRole('button', { name: /search/i }).waitFor();
    expect(await brokenRules(page, '#reference', { except: OF_THE_RENDERER })).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await brokenRules(page, '#reference', { only: ['link-in-text-block'] })).toEqual([]);
    await goOn('/docs#tag/register/POST/api/register/orders/{order_id}/complete');
    await page.getByText('1Z999AA10123456784').first().waitFor(); // in the request, and in the recorded response
    await page.getByText('Tillhouse-Employee-Session').first().waitFor();
    await page.getByRole('button', { name: /search/i }).click();
    await page.getByRole('combobox').fill('createPayment');
    await page.getByRole('option', { name: 'createPayment' }).first().click();
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

    // Our own parts, without the thousands of elements around them, which axe would read each time.
    await page.evaluate(() => document.getElementById('reference')?.remove());
    expect(await brokenRules(page, '.bar, #demo-note', { only: OF_COLOURS })).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await brokenRules(page, '.bar, #demo-note')).toEqual([]);
    expect(complaints).toEqual([]);
  });
});

describe('a guide', () => {
  it('is accessible and leads to the others, in light on a desktop and in dark on a phone', async () => {
    const { page, complaints } = await open('/docs/guides/tutorial');
    const check = async (): Promise<void> => {
      await expectAccessible(page);
      await expectNoSidewaysScroll(page);
      await asPhone(page, async () => {
        await expectAccessible(page, [...OF_COLOURS, 'target-size']);
        await expectNoSidewaysScroll(page);
      });
    };
    await check();
    await page.getByRole('navigation', { name: 'Guides' }).getByRole('link', { name: 'Errors' }).click();
    await page.getByRole('heading', { name: 'Errors', level: 1 }).waitFor();
    await check();
    expect(complaints).toEqual([]);
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
