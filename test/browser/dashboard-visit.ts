/** A signed-in owner in a real browser, and what every page of the dashboard must pass. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { BrowserContextOptions, CDPSession, Page } from 'playwright-core';
import { afterAll, expect } from 'vitest';
import { PATIENCE_MS, RealBrowser } from '../support/real-browser.js';
import type { TestServer } from '../support/server.js';

export { PATIENCE_MS };

export const DESKTOP = { viewport: { width: 1280, height: 800 } } as const;
export const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true } as const;

export interface Visit {
  readonly page: Page;
  /** Console errors and warnings, violations of the policy, and requests to other machines. Later ones are added to the same array. */
  readonly complaints: readonly string[];
  open(path: string): Promise<void>;
  /** Goes to the address without reloading the program, which takes most of the time of `open`. Leaves nothing of the page before. */
  goTo(path: string): Promise<void>;
}

/** The title at an address without a page. It is opened between two pages, so that no element of the first is taken for the second. */
const NO_PAGE = 'There is no page at this address';

/**
 * The browser logs every response with an error. These are expected: somebody who is not signed in, a refused form, a record that is not
 * there, an injected fault, and no network.
 */
export const EXPECTED =
  /^Failed to load resource: (?:the server responded with a status of (?:400|401|403|500|503|404 .*\/api\/)|net::ERR_INTERNET_DISCONNECTED)/;

export async function visit(
  browser: RealBrowser,
  server: TestServer,
  session: string | undefined,
  options: BrowserContextOptions = {},
  expected: RegExp = EXPECTED,
): Promise<Visit> {
  const { page, complaints } = await browser.visitor({ ...DESKTOP, locale: 'en-US', ...options }, expected);
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(server.baseUrl) && !/^(?:data|blob):/.test(url)) complaints.push(`request to ${url}`);
  });
  if (session !== undefined) {
    const { port } = new URL(server.baseUrl);
    const url = `${server.baseUrl}/api/dashboard`;
    await page.context().addCookies([{ name: `tillhouse_session_${port}`, value: session, url }]);
  }
  return {
    page,
    complaints,
    async open(path) {
      await page.goto(server.baseUrl + path);
    },
    async goTo(path) {
      const [place] = /^\/\w+/.exec(path) ?? [];
      if (!page.url().startsWith(`${server.baseUrl}${place}`)) return void (await page.goto(server.baseUrl + path));
      const nothing = page.getByRole('heading', { name: NO_PAGE });
      await page.evaluate((to) => history.pushState({}, '', to), `${place}/nowhere`);
      await nothing.waitFor();
      await page.evaluate((to) => history.pushState({}, '', to), path);
      await nothing.waitFor({ state: 'detached' });
    },
  };
}

/** One page for all tests that need no page of their own, since loading it takes most of the time of a test. */
export function shareVisit(open: (browser: RealBrowser) => Promise<Visit>): () => Promise<Visit> {
  let browser: RealBrowser | undefined;
  let shared: Promise<Visit> | undefined;
  afterAll(() => browser?.close());
  return async () => {
    browser ??= await RealBrowser.open();
    shared ??= open(browser);
    return shared;
  };
}

/** Changes the page to a phone in dark or a desktop in light. Loading it again would take longer than the checks. */
async function switchDevice(page: Page, session: CDPSession, isPhone: boolean): Promise<void> {
  await session.send('Emulation.setTouchEmulationEnabled', { enabled: isPhone });
  await page.emulateMedia({ colorScheme: isPhone ? 'dark' : 'light' });
  await page.setViewportSize(isPhone ? PHONE.viewport : DESKTOP.viewport);
}

/** Shows an open page on a phone in dark while `look` runs. */
export async function asPhone(page: Page, look: () => Promise<void>): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await switchDevice(page, session, true);
  try {
    await look();
  } finally {
    await switchDevice(page, session, false);
    await session.detach();
  }
}

export interface DeviceChecks {
  onDesktop(): Promise<void>;
  onPhone(): Promise<void>;
}

/**
 * Opens one page after the other, and checks each on a desktop and on a phone. Each page begins on the device on which the one before it
 * ended, because changing the device takes as long as a check.
 */
export async function checkOnDesktopAndPhone(
  page: Page,
  opens: readonly (() => Promise<void>)[],
  checks: DeviceChecks,
): Promise<void> {
  const session = await page.context().newCDPSession(page);
  let isPhone = false;
  for (const open of opens) {
    await open();
    await (isPhone ? checks.onPhone() : checks.onDesktop());
    isPhone = !isPhone;
    await switchDevice(page, session, isPhone);
    await (isPhone ? checks.onPhone() : checks.onDesktop());
  }
  if (isPhone) await switchDevice(page, session, false);
  await session.detach();
}

/** Waits until everything on the page is shown in one of its final states. */
export async function untilShown(page: Page, state: 'full' | 'empty' | 'error'): Promise<void> {
  await page.locator(`[data-state="${state}"]`).first().waitFor();
  await page.waitForFunction(() => document.querySelector('main [role="status"]') === null);
}

/** The minified axe: every loaded page has to parse it, and it is half as long. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Waits for animations: what fades in has too little contrast until it is fully visible. */
async function untilStill(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY);
    await Promise.allSettled(ending.map(({ finished }) => finished));
  });
}

/** Navigation and headers with their markup, in which axe found nothing. All files of a worker share it. */
const goodShells = new Set<string>();

/** Runs in the page: the markup of navigation and headers, without the mark of the page that is shown. */
function listShells(): string[] {
  const shells = [...document.querySelectorAll('nav, header')];
  return shells.map(({ outerHTML }) => outerHTML.replaceAll(/ (?:aria-current|data-active)="[^"]*"/g, ''));
}

/** Runs in the page. */
async function runAxe([part, skipped, options]: [string, readonly number[], object]): Promise<string[]> {
  const { axe } = window as unknown as { axe: { run(context: object, options: object): Promise<AxeResults> } };
  const exclude = [...document.querySelectorAll('nav, header')].filter((_, index) => skipped.includes(index));
  const { violations } = await axe.run({ include: [part], ...(exclude.length > 0 && { exclude }) }, options);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
}

/**
 * The rules that the page, or the parts of it that a selector matches, violates. The rules are those that axe runs by default, unless some
 * are named. Navigation and headers are half of most pages, and the same on all pages of a place. They are checked again only if their
 * markup, the size of the window or the colours have changed.
 */
export async function brokenRules(
  page: Page,
  part = 'html',
  { only, except = [] }: { readonly only?: readonly string[] | undefined; readonly except?: readonly string[] } = {},
): Promise<string[]> {
  await untilStill(page);
  if (await page.evaluate(() => !('axe' in window))) await page.evaluate(AXE);
  const look = await page.evaluate(
    () => `${innerWidth} ${innerHeight} ${matchMedia('(prefers-color-scheme: dark)').matches}`,
  );
  const shells = await page.evaluate(listShells);
  const names = shells.map((markup) => JSON.stringify([only, except, look, markup]));
  const skipped = [...names.keys()].filter((index) => goodShells.has(names[index] ?? ''));
  const rules = Object.fromEntries(except.map((id) => [id, { enabled: false }]));
  const options = { resultTypes: ['violations'], selectors: false, rules, ...(only && { runOnly: only }) };
  const broken = await page.evaluate(runAxe, [part, skipped, options] as [string, number[], object]);
  if (part === 'html' && broken.length === 0) for (const name of names) goodShells.add(name);
  return broken;
}

/** Checks WCAG 2.2 AA and best practices, or the rules that are given. */
export async function expectAccessible(page: Page, rules?: readonly string[]): Promise<void> {
  expect(await brokenRules(page, undefined, { only: rules })).toEqual([]);
}

/** Polls: a page that was resized, or that still gets content, is laid out again in one of the next frames. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const overhang = () =>
    page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  await expect.poll(overhang, { timeout: PATIENCE_MS }).toBe(0);
}
