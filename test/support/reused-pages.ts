/**
 * Pages that visitors have left, for the visitors after them. A page loads again in its process with half of the CPU time of a new one,
 * because the compiled program is still there.
 */
import type { BrowserContextOptions, Page } from 'playwright-core';

/** The events that tests listen to. */
const PAGE_EVENTS = ['console', 'pageerror', 'request', 'response', 'requestfailed', 'dialog', 'download'] as const;
const CONTEXT_EVENTS = ['console', 'page', 'request', 'response', 'requestfailed', 'dialog'] as const;

/** Each page uses about 100 MB. Few tests have more visitors at a time. */
const MAX_KEPT = 4;

/** Methods whose effect on a page lasts, even if it loads another address. */
const LASTING = ['addInitScript', 'exposeFunction', 'exposeBinding'] as const;
const LASTING_CLOCK = ['install', 'setFixedTime', 'setSystemTime'] as const;

/** The default size of the browser. */
const USUAL_SIZE = { width: 1280, height: 720 };

interface KeptPage {
  readonly options: string;
  readonly page: Page;
}

let kept: KeptPage[] = [];

const marked = new WeakSet<Page>();

/** Marks a page when a test calls a method with a lasting effect. Call this once for each new page. */
export function watchPage(page: Page): void {
  const mark = () => marked.add(page);
  for (const target of [page, page.context()]) {
    for (const name of LASTING) before(target, name, mark);
    for (const name of LASTING_CLOCK) before(target.clock, name, mark);
  }
}

function before<Name extends string>(target: { [Key in Name]: unknown }, name: Name, act: () => void): void {
  const call = target[name] as (...given: unknown[]) => unknown;
  target[name] = (...given: unknown[]) => {
    act();
    return call.apply(target, given);
  };
}

/** A page without a trace of its earlier visitor, in a context with these options. */
export async function takePage(options: BrowserContextOptions): Promise<Page | undefined> {
  kept = kept.filter(({ page }) => !page.isClosed());
  const found = kept.findLast((each) => each.options === lastingOptions(options));
  kept = kept.filter((each) => each !== found);
  if (found) await changeOptions(found.page, options);
  return found?.page;
}

/** The options of a context that its page cannot change. */
function lastingOptions({
  viewport,
  colorScheme,
  reducedMotion,
  permissions,
  ...others
}: BrowserContextOptions): string {
  return JSON.stringify({ ...others, hasSize: viewport !== null });
}

/** Sets the other options of the page. */
async function changeOptions(
  page: Page,
  { viewport = USUAL_SIZE, colorScheme = 'light', reducedMotion = 'reduce', permissions }: BrowserContextOptions,
): Promise<void> {
  await page.emulateMedia({ media: null, colorScheme, reducedMotion });
  if (viewport) await page.setViewportSize(viewport);
  if (permissions) await page.context().grantPermissions(permissions);
}

/** Keeps the page if all that its visitor did can be undone; otherwise closes its context. */
export async function returnPage(page: Page, options: BrowserContextOptions): Promise<void> {
  const isClean = !page.isClosed() && !marked.has(page) && (await removeTraces(page).catch(() => false));
  if (!isClean) return page.context().close();
  kept.push({ options: lastingOptions(options), page });
  if (kept.length > MAX_KEPT) await kept.shift()?.page.context().close();
}

/** Returns false if the page was on several sites: the storage of a tab can only be cleared on the site itself. */
async function removeTraces(page: Page): Promise<boolean> {
  const context = page.context();
  for (const event of PAGE_EVENTS) page.removeAllListeners(event);
  for (const event of CONTEXT_EVENTS) context.removeAllListeners(event);
  for (const other of context.pages()) if (other !== page) await other.close();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await context.unrouteAll({ behavior: 'ignoreErrors' });
  await context.setOffline(false);
  const session = await context.newCDPSession(page);
  const { entries } = await session.send('Page.getNavigationHistory');
  const origins = new Set(entries.filter(({ url }) => url !== 'about:blank').map(({ url }) => new URL(url).origin));
  if (origins.size > 1) return false;
  await page.evaluate(() => {
    sessionStorage.clear();
    window.name = '';
  });
  await page.goto('about:blank');
  for (const origin of origins) await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  await session.send('Page.resetNavigationHistory');
  await session.detach();
  await context.clearCookies();
  await context.clearPermissions();
  return true;
}
