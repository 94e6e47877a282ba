/** The pages of the dashboard in a real browser: their four states, light and dark, on desktops and phones. */
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { PLACES } from '../../web/dashboard/shell/places.js';
import { type Business, openBusiness } from '../contract/business.js';
import { createOwner } from '../support/dashboard.js';
import { startPageServer } from '../support/page-server.js';
import { RealBrowser } from '../support/real-browser.js';
import type { TestServer } from '../support/server.js';
import {
  brokenRules,
  checkOnDesktopAndPhone,
  DESKTOP,
  expectAccessible,
  expectNoSidewaysScroll,
  PHONE,
  shareVisit,
  untilShown,
  type Visit,
  visit,
} from './dashboard-visit.js';

let server: TestServer;
let browser: RealBrowser;
let business: Business;
/** The session of an owner whose business has nothing at all. */
let newcomer: string;

beforeAll(async () => {
  [server, browser] = [await startPageServer(), await RealBrowser.open()];
  business = await openBusiness(server);
  newcomer = (await createOwner(server)).session;
});
afterAll(() => server.stop());
afterEach(() => browser.close());

const visitOnce = shareVisit((own) => visit(own, server, business.session));

const LISTS = [
  ['Home', '/dashboard'],
  ['Sales', '/dashboard/sales'],
  ['Orders', '/dashboard/orders'],
  ['Reports', '/dashboard/reports'],
  ['Payouts', '/dashboard/payouts'],
  ['Team', '/dashboard/team'],
  ['Timecards', '/dashboard/timecards'],
  ['Catalogue', '/dashboard/catalogue'],
  ['Cash drawers', '/dashboard/cash-drawers'],
  ['Devices', '/dashboard/devices'],
  ['Applications', '/dashboard/developers'],
  ['Authorizations', '/dashboard/developers?tab=authorizations'],
  ['Personal tokens', '/dashboard/developers?tab=tokens'],
  ['Publishable keys', '/dashboard/developers?tab=keys'],
  ['Subscriptions', '/dashboard/developers?tab=subscriptions'],
  ['Deliveries', '/dashboard/developers?tab=deliveries'],
  ['Security', '/dashboard/security'],
] as const;

/** Pages of one record each, with the name of its id in the business. */
const DETAILS = [
  ['a sale', '/dashboard/sales/', 'sale_id'],
  ['an order', '/dashboard/orders/', 'order_id'],
  ['an item', '/dashboard/catalogue/items/', 'item_id'],
  ['a cash drawer shift', '/dashboard/cash-drawers/', 'shift_id'],
  ['a settlement', '/dashboard/payouts/', 'settlement_id'],
  ['a location', '/dashboard/locations/', 'location_id'],
  ['an application', '/dashboard/developers/applications/', 'application_id'],
  ['a delivery', '/dashboard/developers/deliveries/', 'delivery_id'],
] as const;

describe('every page with content', () => {
  /** For a busy machine: more than twenty pages are opened. */
  const TIME_LIMIT_MS = 600_000;

  function pagesOf({ page, goTo }: Visit): (() => Promise<void>)[] {
    const lists = LISTS.map(([, path]) => async () => {
      await goTo(path);
      await untilShown(page, 'full');
    });
    const details = DETAILS.map(([, path, name]) => async () => {
      const id = business.ids[name] ?? '';
      await goTo(path + id);
      await page.getByText(id).first().waitFor();
    });
    const locations = async () => {
      await goTo('/dashboard/locations');
      await page.getByRole('heading', { name: 'One', exact: true }).waitFor();
      await page.getByRole('switch', { name: 'Discounts and lower prices need a permission' }).waitFor();
    };
    return [...lists, ...details, locations];
  }

  it(
    'is accessible in light on a desktop, fits a phone and has enough contrast in dark, and the browser reports no error',
    async () => {
      const visited = await visit(browser, server, business.session);
      const { page } = visited;
      await checkOnDesktopAndPhone(page, pagesOf(visited), {
        onDesktop: () => expectAccessible(page),
        async onPhone() {
          await expectNoSidewaysScroll(page);
          await expectAccessible(page, ['color-contrast', 'target-size']);
        },
      });
      expect(visited.complaints).toEqual([]);
    },
    TIME_LIMIT_MS,
  );
});

describe('every page of a business with nothing at all', () => {
  /** A business always has a session, the token with which it was opened, and its first location. */
  const NEVER_EMPTY = ['Security', 'Personal tokens', 'Locations'];
  const tabs = LISTS.filter(([, path]) => path.includes('?'));

  it('says what it is for and what to do first; the navigation leads to it, and marks it', async () => {
    const { page, complaints, goTo } = await visit(browser, server, newcomer);
    await goTo('/dashboard/nowhere');
    const navigate = async (name: string): Promise<void> => {
      const link = page.getByRole('navigation').getByRole('link', { name, exact: true });
      await link.press('Enter'); // the mouse would open its tooltip
      if (name === 'Home') await page.getByText(/, right now\.$/).waitFor();
      else await page.waitForFunction((text) => document.title === `${text} - Tillhouse`, name);
      expect([name, await link.getAttribute('aria-current')]).toEqual([name, 'page']);
    };
    const opens = [
      ...PLACES.map(({ label }) => [label, () => navigate(label)] as const),
      ...tabs.map(([name, path]) => [name, () => goTo(path)] as const),
    ];
    for (const [name, open] of opens) {
      await open();
      await untilShown(page, NEVER_EMPTY.includes(name) ? 'full' : 'empty');
      expect([name, await page.locator('[data-state="error"]').count()]).toEqual([name, 0]);
      if (NEVER_EMPTY.includes(name)) continue;
      const text = (await page.locator('[data-state="empty"]').first().textContent()) ?? '';
      expect([name, text.length > 15]).toEqual([name, true]);
    }
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });
});

describe('a page that cannot be loaded', () => {
  it('says why, shows the request id, and tries again', async () => {
    const { page, open } = await visitOnce();
    const fault = {
      effect: 'STATUS',
      status: 500,
      operation: 'dashboard.listDevices',
      merchant_id: business.merchant.id,
    };
    expect((await server.operator('POST', '/api/sandbox/faults', fault)).status).toBe(200);
    const failed = page.waitForResponse((response) => response.url().endsWith('/api/dashboard/devices'));
    await open('/dashboard/devices');
    await untilShown(page, 'error');
    const requestId = (await failed).headers()['x-request-id'] ?? '';
    expect(await page.getByRole('alert').textContent()).toContain(requestId);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Try again' }).click();
    await untilShown(page, 'full');
  });

  it('shows the shape of what comes while it is loading', async () => {
    const { page, open } = await visitOnce();
    const fault = {
      effect: 'DELAY',
      delay_ms: 4000,
      operation: 'dashboard.listDevices',
      merchant_id: business.merchant.id,
    };
    expect((await server.operator('POST', '/api/sandbox/faults', fault)).status).toBe(200);
    await open('/dashboard/devices');
    await page.getByRole('status', { name: 'Loading' }).waitFor();
    await page.getByRole('heading', { name: 'Devices' }).waitFor();
    await expectAccessible(page);
    await untilShown(page, 'full');
  });
});

describe('an address that leads nowhere', () => {
  it('says so inside the dashboard, and a record that does not exist is reported, not shown empty', async () => {
    const { page, complaints, open, goTo } = await visitOnce();
    await open('/dashboard/nothing/here');
    await page.getByRole('heading', { name: 'There is no page at this address' }).waitFor();
    await page.getByRole('link', { name: 'Go to Home' }).click();
    await page.waitForURL(`${server.baseUrl}/dashboard`);
    await goTo('/dashboard/cash-drawers/00000000-0000-4000-8000-000000000000');
    await untilShown(page, 'error');
    expect(await page.getByRole('alert').textContent()).toContain('cash drawer shift');
    expect(complaints).toEqual([]);
  });
});

describe('the check for accessibility', () => {
  it('finds what is broken on a page and in its navigation, although they were good before', async () => {
    const { page, open } = await visit(browser, server, business.session);
    await open('/dashboard/sales');
    await untilShown(page, 'full');
    expect(await brokenRules(page)).toEqual([]);
    await page.evaluate(() => {
      for (const text of document.querySelectorAll<HTMLElement>('tbody tr:nth-child(3) *')) text.style.color = '#ccc';
      for (const part of document.querySelectorAll('nav a:nth-child(2) *')) part.textContent = '';
      const [heading] = document.getElementsByTagName('h1');
      heading?.after(Object.assign(document.createElement('h5'), { textContent: 'Too deep' }));
    });
    const rules = (await brokenRules(page)).map((each) => each.split(':', 1)[0]);
    expect(rules.sort()).toEqual(['color-contrast', 'heading-order', 'link-name']);
  });
});

describe('the navigation', () => {
  it('has icons only on tablets, and a bar at the bottom with the way to all pages on phones', async () => {
    const { page, goTo } = await visitOnce();
    onTestFinished(() => page.setViewportSize(DESKTOP.viewport));
    await page.setViewportSize({ width: 900, height: 700 });
    await goTo('/dashboard/team');
    const box = await page.getByRole('navigation').getByRole('link', { name: 'Team' }).boundingBox();
    expect(box?.width).toBeLessThan(60);
    await page.setViewportSize(PHONE.viewport);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('link', { name: /Cash drawers/ }).click();
    await page.getByRole('heading', { name: 'Cash drawers', level: 1 }).waitFor();
  });

  it('is reached from the keyboard: Ctrl K finds pages and people', async () => {
    const { page, complaints, goTo } = await visitOnce();
    await goTo('/dashboard');
    await untilShown(page, 'full');
    await page.keyboard.press('Control+k');
    await page.getByRole('searchbox').or(page.getByPlaceholder('Search or jump to')).first().fill('cash');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Cash drawers', level: 1 }).waitFor();
    expect(complaints).toEqual([]);
  });
});
