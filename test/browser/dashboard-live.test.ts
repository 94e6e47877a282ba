/** Changes appear in open pages by themselves, in a real browser: in all tabs over one stream, and across servers. */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { pollUntil } from '../support/clock.js';
import { createOwner, type TestOwner } from '../support/dashboard.js';
import { startPageServer } from '../support/page-server.js';
import { pairDevice } from '../support/people.js';
import { RealBrowser } from '../support/real-browser.js';
import type { TestServer } from '../support/server.js';
import { PATIENCE_MS, shareVisit, untilShown, visit } from './dashboard-visit.js';

let one: TestServer;
let two: TestServer;
let owner: TestOwner;

beforeAll(async () => {
  one = await startPageServer();
  two = await startPageServer({ databaseUrl: one.databaseUrl });
  owner = await createOwner(one);
});
afterAll(async () => {
  await two.stop();
  await one.stop();
});

const visitOnce = shareVisit((browser) => visit(browser, one, owner.session));

/** The addresses of all streams that the browser has opened. */
function countStreams(context: BrowserContext): string[] {
  const opened: string[] = [];
  context.on('request', (request) => {
    if (request.url().endsWith('/api/dashboard/changes')) opened.push(request.url());
  });
  return opened;
}

const untilLive = (page: Page) => page.getByText('Live', { exact: true }).waitFor();
const seen = (page: Page, name: string) => page.getByRole('cell', { name, exact: true }).waitFor();

describe('two tabs of a browser', () => {
  it('share one stream, and the other tab goes on when the first is closed', async () => {
    const browser = await RealBrowser.open();
    onTestFinished(() => browser.close());
    const { page: first, complaints, open } = await visit(browser, one, owner.session);
    const streams = countStreams(first.context());
    await open('/dashboard/devices');
    await untilShown(first, 'empty');
    const second = await first.context().newPage();
    await second.goto(`${one.baseUrl}/dashboard/devices`);
    await untilLive(first);
    await untilLive(second);
    await pairDevice(one, owner, { name: 'Till A' });
    await Promise.all([seen(first, 'Till A'), seen(second, 'Till A')]);
    expect(streams).toHaveLength(1);
    await first.close();
    await pollUntil(
      async () => streams.length,
      (count) => count === 2,
      PATIENCE_MS,
    );
    await pairDevice(one, owner, { name: 'Till B' });
    await seen(second, 'Till B');
    expect(streams).toHaveLength(2);
    expect(complaints).toEqual([]);
  });
});

describe('a page of one server', () => {
  it('shows what another server of the same database has changed, and keeps what is typed', async () => {
    const { page, complaints, goTo } = await visitOnce();
    await goTo('/dashboard/devices');
    await untilLive(page);
    await page.getByRole('button', { name: 'Pair a device' }).first().click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Half typed');
    await pairDevice(two, { ...owner, call: callAt(two) }, { name: 'Elsewhere' });
    await page
      .getByRole('cell', { name: 'Elsewhere', exact: true, includeHidden: true })
      .waitFor({ state: 'attached' });
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Half typed');
    expect(complaints).toEqual([]);
  });

  it('says when it is no longer live, and loads everything again when it is', async () => {
    const { page, goTo } = await visitOnce();
    await goTo('/dashboard/devices');
    await untilLive(page);
    await page.context().setOffline(true);
    await page.getByText('Connecting', { exact: true }).waitFor();
    await pairDevice(one, owner, { name: 'Meanwhile' });
    await page.context().setOffline(false);
    await untilLive(page);
    await seen(page, 'Meanwhile');
  });

  // The last one on this page.
  it('ends its stream when the owner signs out in another browser', async () => {
    const { page, goTo } = await visitOnce();
    await goTo('/dashboard/devices');
    await untilLive(page);
    expect((await owner.call('DELETE', '/api/dashboard/session')).status).toBe(200);
    await page.getByText('Connecting', { exact: true }).waitFor();
  });
});

/** The owner's requests at another server. */
function callAt(server: TestServer): TestOwner['call'] {
  return (method, path, options) =>
    server.call(method, path, { ...options, headers: { cookie: owner.cookie, ...options?.headers } });
}
