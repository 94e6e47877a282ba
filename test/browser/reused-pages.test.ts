/** Pages that visitors have left are given to the next visitors without a trace, or not at all. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { RealBrowser } from '../support/real-browser.js';

/** Options of no other test, so that its pages are not among these. */
const OPTIONS = { locale: 'en-IE' };
const FIRST_SIZE = { width: 1280, height: 720 };
/** No request reaches this site. */
const SITE = 'http://shop.example/';

/** Compares the page of a visitor who does this and leaves with the page of the next visitor. */
async function twoVisits(act: (page: Page) => Promise<unknown>) {
  const browser = await RealBrowser.open();
  const { page: first } = await browser.visitor(OPTIONS);
  await first.route(SITE, (route) => route.fulfill({ contentType: 'text/html', body: '<title>Shop</title>' }));
  await first.goto(SITE);
  await act(first);
  await browser.close();
  const next = await RealBrowser.open();
  const { page: second } = await next.visitor(OPTIONS);
  const size = second.viewportSize();
  await next.close();
  return { isSame: first === second, size };
}

it('the next visitor gets the same page in its first size', async () => {
  const act = (page: Page) => page.setViewportSize({ width: 390, height: 844 });
  expect(await twoVisits(act)).toEqual({ isSame: true, size: FIRST_SIZE });
});

it.each<[string, (page: Page) => Promise<unknown>]>([
  ['a clock', (page) => page.clock.install()],
  ['a script of the page', (page) => page.addInitScript('window.left = true')],
  ['a script of all its pages', (page) => page.context().addInitScript('window.left = true')],
  ['a function', (page) => page.exposeFunction('left', () => true)],
  ['a function of all its pages', (page) => page.context().exposeBinding('left', () => true)],
])('the next visitor gets another page after %s', async (_, act) => {
  expect(await twoVisits(act)).toEqual({ isSame: false, size: FIRST_SIZE });
});
