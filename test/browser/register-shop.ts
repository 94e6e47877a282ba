/** A small shop for tests of the register: a catalogue, people with passcodes, and tablets that are paired. */
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, onTestFinished } from 'vitest';
import { createOwner, type TestOwner } from '../support/dashboard.js';
import type { V1Employee } from '../support/employees.js';
import type { ApiResponse } from '../support/http.js';
import { startPageServer } from '../support/page-server.js';
import { mainLocation } from '../support/people.js';
import { RealBrowser } from '../support/real-browser.js';
import type { TestServer, TestServerOptions } from '../support/server.js';
import { EXPECTED, type Visit, visit } from './dashboard-visit.js';
import { press } from './register-counter.js';

export const TABLET = { viewport: { width: 1180, height: 820 }, hasTouch: true } as const;
export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;

export const PASSCODES = { mia: '2468', ada: '135790' } as const;

export const ALL_PERMISSIONS = [
  'REGISTER_ACCESS_SALES_HISTORY',
  'REGISTER_APPLY_RESTRICTED_DISCOUNTS',
  'REGISTER_CHANGE_SETTINGS',
  'REGISTER_EDIT_ITEM',
  'REGISTER_ISSUE_REFUNDS',
  'REGISTER_OPEN_CASH_DRAWER_OUTSIDE_SALE',
  'REGISTER_VIEW_SUMMARY_REPORTS',
] as const;

export interface Shop {
  readonly owner: TestOwner;
  /** May only take payments. */
  readonly mia: V1Employee;
  /** May do everything. */
  readonly ada: V1Employee;
}

export function done({ status, text, body }: ApiResponse) {
  if (status !== 200) throw new Error(`${status}: ${text}`);
  return body;
}

export const usd = (amount: number) => ({ amount, currency: 'USD' });

export async function openShop(server: TestServer): Promise<Shop> {
  const shop = await openEmptyShop(server);
  await stock(shop.owner);
  return shop;
}

/** People, and nothing to sell. */
export async function openEmptyShop(server: TestServer): Promise<Shop> {
  const owner = await createOwner(server, { business_name: 'Harbour Coffee', locations: [{ name: 'Bergen' }] });
  return {
    owner,
    mia: await hire(server, owner, { first_name: 'Mia', last_name: 'Lund', passcode: PASSCODES.mia, permissions: [] }),
    ada: await hire(server, owner, {
      first_name: 'Ada',
      last_name: 'Berg',
      passcode: PASSCODES.ada,
      permissions: ALL_PERMISSIONS,
    }),
  };
}

/** Coffee and food with a tax of 10 %, so that every sum can be computed in the head. */
async function stock(owner: TestOwner): Promise<void> {
  const create = async (path: string, body: Record<string, unknown>): Promise<{ id: string }> => {
    const made = done(await owner.call('POST', `/api/dashboard/catalogue/${path}`, { body }));
    return Object.values(made)[0] as { id: string };
  };
  const tax = await create('taxes', {
    name: 'Sales tax',
    rate: '0.1',
    inclusion_type: 'ADDITIVE',
    applies_to_all: true,
  });
  const [coffee, food] = [await create('categories', { name: 'Coffee' }), await create('categories', { name: 'Food' })];
  const milk = await create('modifier-lists', {
    name: 'Milk',
    min_selected: 1,
    max_selected: 1,
    options: [
      { name: 'Whole milk', price_money: usd(0) },
      { name: 'Oat milk', price_money: usd(50) },
    ],
  });
  await create('discounts', { name: 'Happy hour', rate: '0.2', restricted: false });
  await create('discounts', { name: 'Staff', rate: '0.5', restricted: true });
  const item = (name: string, category: { id: string }, more: Record<string, unknown>) =>
    create('items', { name, category_id: category.id, online: true, tax_ids: [tax.id], ...more });
  await item('Espresso', coffee, { variations: [{ name: 'Regular', sku: '4006381333931', price_money: usd(300) }] });
  await item('Flat white', coffee, {
    modifier_list_ids: [milk.id],
    variations: [
      { name: 'Small', price_money: usd(400) },
      { name: 'Large', price_money: usd(500) },
    ],
  });
  await item('Banana bread', food, { variations: [{ name: 'Slice', sku: 'BREAD-1', price_money: usd(1000) }] });
}

export interface NewPerson {
  readonly first_name: string;
  readonly last_name: string;
  readonly passcode: string;
  readonly permissions: readonly string[];
}

export async function hire(
  server: TestServer,
  owner: TestOwner,
  { passcode, permissions, ...name }: NewPerson,
): Promise<V1Employee> {
  const { token } = owner.merchant;
  const role = done(await server.call('POST', '/v1/me/roles', { token, body: { name: name.first_name, permissions } }));
  const body = { ...name, role_ids: [role.id] };
  const employee: V1Employee = done(await server.call('POST', '/v1/me/employees', { token, body }));
  done(await owner.call('POST', `/api/dashboard/employees/${employee.id}/activate`));
  done(await owner.call('PUT', `/api/dashboard/employees/${employee.id}/passcode`, { body: { passcode } }));
  return employee;
}

/** Besides what is expected on all pages, a decline and a conflict are responses with an error. */
const EXPECTED_HERE = new RegExp(`${EXPECTED.source}|status of (?:402|404|409)`);

export interface Tablet extends Omit<Visit, 'goTo'> {
  /** Taps the button with this name. */
  tap(name: string | RegExp): Promise<void>;
  /** Like `press`, for steps that only lead to what a test is about. */
  press(name: string | RegExp): Promise<void>;
}

/** A tablet that shows `/register` and is not paired yet. */
export async function takeTablet(
  browser: RealBrowser,
  server: TestServer,
  options: BrowserContextOptions = TABLET,
): Promise<Tablet> {
  const { page, complaints, open } = await visit(browser, server, undefined, options, EXPECTED_HERE);
  await open('/register');
  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: typeof name === 'string' });
  return {
    page,
    complaints,
    open,
    tap: (name) => button(name).click(),
    press: (name) => press(button(name)),
  };
}

/** The code that the register shows, typed in the dashboard by the owner. The register then asks. */
export async function askToPair(page: Page, { owner }: Pick<Shop, 'owner'>, name = 'Bergen counter'): Promise<void> {
  const shown = await page.getByRole('img', { name: /^Code/ }).textContent();
  const code = shown?.replaceAll(/\D/g, '') ?? '';
  const body = { code, name, location_id: mainLocation(owner.merchant) };
  done(await owner.call('POST', '/api/dashboard/pairings', { body }));
}

export async function pair(page: Page, shop: Shop, name?: string): Promise<void> {
  await askToPair(page, shop, name);
  await press(page.getByRole('button', { name: 'Yes, pair it' }));
  await page.getByRole('heading', { name: 'Who is there?' }).waitFor();
}

/** The passcode comes from a keyboard, because each tap on a key would take a tenth of a second of CPU time. */
export async function signIn(page: Page, name: string, passcode: string): Promise<void> {
  await press(page.getByRole('button', { name: new RegExp(`^${name}`) }));
  const button = page.getByRole('button', { name: 'Sign in', exact: true });
  await button.waitFor();
  await page.keyboard.type(passcode);
  await press(button);
  await page.getByRole('button', { name: 'Lock', exact: true }).waitFor();
}

/** Another tablet with somebody signed in, until the end of the test. */
export async function startWork(
  browser: RealBrowser,
  server: TestServer,
  shop: Shop,
  { who = 'ada', ...options }: BrowserContextOptions & { readonly who?: 'ada' | 'mia' } = {},
): Promise<Tablet> {
  const tablet = await takeTablet(browser, server, { ...TABLET, ...options });
  onTestFinished(() => browser.leave(tablet));
  await pair(tablet.page, shop);
  await signIn(tablet.page, shop[who].first_name, PASSCODES[who]);
  return tablet;
}

/** One server, one browser and one paired tablet for all tests of a file. */
export interface Counter {
  readonly server: TestServer;
  readonly browser: RealBrowser;
  readonly shop: Shop;
  readonly tablet: Tablet;
}

export interface CounterOptions extends TestServerOptions {
  /** Changes the shop before the tablet is paired. */
  readonly prepare?: (shop: Shop, server: TestServer) => Promise<void>;
}

/** Signs out and returns to the first screen. Reloading the page instead would take half a second of CPU time. */
export async function lockUp(page: Page): Promise<void> {
  await page.evaluate(() => {
    document.querySelector<HTMLElement>('button[aria-label="Lock"]')?.click(); // a dialog may be in front of it
    location.hash = '';
  });
  await page.getByRole('heading', { name: 'Who is there?' }).waitFor();
}

/**
 * Pairing takes seconds, so it is done once. Each test begins with nobody signed in. In tests that do not reload the page, the register may
 * show old lists of the server for a moment.
 */
export function workAtOneTablet({ prepare, ...options }: CounterOptions = {}): Counter {
  const counter = {} as { -readonly [Key in keyof Counter]: Counter[Key] };
  beforeAll(async () => {
    [counter.server, counter.browser] = [await startPageServer(options), await RealBrowser.open()];
    counter.shop = await openShop(counter.server);
    await prepare?.(counter.shop, counter.server);
    counter.tablet = await takeTablet(counter.browser, counter.server);
    await pair(counter.tablet.page, counter.shop);
  });
  beforeEach(() => lockUp(counter.tablet.page));
  afterAll(async () => {
    await counter.browser.close();
    await counter.server.stop();
  });
  return counter;
}
