/** The pages of the developer's console in a real browser, in their states, and signing in. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startPageServer } from '../support/page-server.js';
import { RealBrowser } from '../support/real-browser.js';
import { OPERATOR_KEY, type TestServer } from '../support/server.js';
import { enterConsole, payment, send } from './console-visit.js';
import {
  checkOnDesktopAndPhone,
  expectAccessible,
  expectNoSidewaysScroll,
  shareVisit,
  untilShown,
  visit,
} from './dashboard-visit.js';

let browser: RealBrowser;

beforeAll(async () => {
  browser = await RealBrowser.open();
});
afterEach(() => browser.close());

/** The server of this test stops before that of the other tests starts, which then gets its address. */
describe('signing in', () => {
  it('takes the operator key where one click is not offered', async () => {
    const other = await startPageServer({ config: { trustProxy: { hops: 1 } } });
    try {
      const { page, open } = await visit(browser, other, undefined);
      await open('/console/merchants');
      expect(await page.getByRole('button', { name: 'Open the console' }).count()).toBe(0);
      await page.getByLabel('Operator key').fill('not the key');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('This is not the operator key of this server.').waitFor();
      await expectAccessible(page);
      await page.getByLabel('Operator key').fill(OPERATOR_KEY);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { level: 1, name: 'Merchants' }).waitFor();
      expect(await page.evaluate(() => document.cookie + JSON.stringify(localStorage))).not.toContain(OPERATOR_KEY);
      await page.getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.getByLabel('Operator key').waitFor();
    } finally {
      await browser.close();
      await other.stop();
    }
  });
});

const PLACES = [
  '/console',
  '/console/try',
  '/console/webhooks',
  '/console/time',
  '/console/faults',
  '/console/stubs',
  '/console/merchants',
];

describe('every page', () => {
  let server: TestServer;
  /** The operator has signed in there. */
  const visitOnce = shareVisit((own) => enterConsole(own, server, '/console/merchants'));

  beforeAll(async () => {
    server = await startPageServer();
  });
  afterAll(() => server.stop());

  // The first one: nobody has done anything yet.
  it('says what to do first on a new server', async () => {
    const { page, complaints, goTo } = await visitOnce();
    await untilShown(page, 'empty');
    for (const path of PLACES) {
      await goTo(path);
      await untilShown(page, 'empty');
      await expectAccessible(page);
      expect(complaints, path).toEqual([]);
    }
  });

  it('is full and accessible on a desktop, and fits a phone in dark', async () => {
    const merchant = await server.createMerchant({ business_name: 'Juniper' });
    await send(server, 'POST', '/v2/payments', merchant.token, payment());
    await server.operator('POST', `/api/sandbox/merchants/${merchant.id}/receiver`, {});
    const fault = { merchant_id: merchant.id, effect: 'WEBHOOK_TWICE', times: 9 };
    await server.operator('POST', '/api/sandbox/faults', fault);
    await server.operator('POST', `/api/sandbox/merchants/${merchant.id}/processor-rules`, { effect: 'FAIL_REFUND' });
    const stub = {
      merchant_id: merchant.id,
      request: { path: '/v2/customers/{customer_id}' },
      response: { status: 404 },
    };
    await server.operator('POST', '/api/sandbox/stubs', { stub });
    await send(server, 'POST', '/v2/payments', merchant.token, payment());
    const { page, complaints, goTo } = await visitOnce();
    const paths = [...PLACES.filter((each) => each !== '/console/try'), `/console/merchants/${merchant.id}`];
    const opens = paths.map((path) => async () => {
      await goTo(`${path}?merchant=${merchant.id}`);
      await untilShown(page, 'full');
    });
    await checkOnDesktopAndPhone(page, opens, {
      async onDesktop() {
        await expectAccessible(page);
        await expectNoSidewaysScroll(page);
        expect(complaints, page.url()).toEqual([]);
      },
      async onPhone() {
        await expectNoSidewaysScroll(page);
        const isFirst = new URL(page.url()).pathname === '/console'; // all rules are checked on one page
        await expectAccessible(page, isFirst ? undefined : ['color-contrast', 'target-size']);
        expect(complaints, page.url()).toEqual([]);
      },
    });
  });

  it('says what went wrong, and tries again', async () => {
    const merchant = await server.createMerchant();
    const { page, open, goTo } = await visit(browser, server, undefined);
    const failure = { status: 500, json: { errors: [{ code: 'INTERNAL_SERVER_ERROR', detail: 'It broke.' }] } };
    for (const [path, requests] of [
      ['/console/merchants', '**/api/sandbox/merchants?*'], // first, since the others need it too
      ['/console', '**/api/sandbox/requests?*'],
      ['/console/webhooks', '**/webhook-deliveries?*'],
      ['/console/try', '**/openapi.json'],
      ['/console/time', '**/clock'],
      ['/console/faults', '**/api/sandbox/faults*'],
      ['/console/stubs', '**/api/sandbox/stubs*'],
    ] as const) {
      await page.route(requests, (route) => route.fulfill(failure));
      await (path === '/console/merchants' ? open : goTo)(`${path}?merchant=${merchant.id}`);
      if (path === '/console/merchants') await page.getByRole('button', { name: 'Open the console' }).click();
      await untilShown(page, 'error');
      await page.getByText('It broke.').first().waitFor();
      if (path === '/console') await expectAccessible(page); // one component shows errors on all pages
      await page.unroute(requests);
      await page.getByRole('button', { name: 'Try again' }).first().click();
      await page.locator('[data-state="error"]').waitFor({ state: 'detached' });
    }
  });
});
