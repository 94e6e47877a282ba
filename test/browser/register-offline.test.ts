/** The offline core of the register in a real browser: it starts and sells without a network, and loses nothing. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { findBreaches } from '../../src/check/check.js';
import { CutProxy } from '../support/cut-proxy.js';
import { createOwner, type TestOwner } from '../support/dashboard.js';
import { startPageServer } from '../support/page-server.js';
import { hire, mainLocation, PASSCODE } from '../support/people.js';
import { OwnBrowser, PATIENCE_MS, RealBrowser } from '../support/real-browser.js';
import type { TestServer } from '../support/server.js';
import { bundleCore, Tablet } from './register-core/tablet.js';

let server: TestServer;
let browser: RealBrowser;
let proxy: CutProxy;
let owner: TestOwner;
let employeeId: string;
let script: string;
/** Paired once, since that takes seconds. Tests begin without open tabs, and leave nothing in cart and queue. */
let tablet: Tablet;
/** How many sales the tablet had made before the test. */
let salesBefore: number;

beforeAll(async () => {
  [server, browser] = [await startPageServer(), await RealBrowser.open()];
  proxy = await CutProxy.start(server.baseUrl);
  script = await bundleCore();
  owner = await createOwner(server);
  employeeId = (await hire(server, owner, { role: { is_owner: true } })).id;
  const body = {
    name: 'Loaf',
    online: false,
    variations: [{ name: 'Regular', sku: '4006381333931', price_money: { amount: 450, currency: 'USD' } }],
  };
  const made = await owner.call('POST', '/api/dashboard/catalogue/items', { body });
  if (made.status !== 200) throw new Error(made.text);
  tablet = buyTablet();
  await pair(await tablet.open());
});
afterAll(async () => {
  await browser.close();
  await proxy.stop();
  await server.stop();
});
beforeEach(() => {
  salesBefore = 0;
});
afterEach(async () => {
  proxy.reset();
  await tablet.closeTabs();
});

function buyTablet(): Tablet {
  return new Tablet(proxy.url, script, async () => (await browser.visitor({ bypassCSP: true })).page);
}

/** Pairs by code, as a person does. */
async function pair(page: Page): Promise<void> {
  const code = await page.evaluate(async () => {
    const pairing = await core.startPairing(() => void pairing.answer(true));
    Object.assign(globalThis, { pairing });
    return pairing.code;
  });
  const body = { code, name: 'Counter', location_id: mainLocation(owner.merchant) };
  expect((await owner.call('POST', '/api/dashboard/pairings', { body })).status).toBe(200);
  expect(
    await page.evaluate(() => (globalThis as unknown as { pairing: { paired: Promise<string> } }).pairing.paired),
  ).toBe('PAIRED');
  await until(page, () => core.catalogue.get() !== undefined && core.team.get().length > 0);
}

/** The paired tablet with somebody signed in. */
async function startWork(path?: string): Promise<Page> {
  const page = await tablet.open(path);
  await signIn(page);
  salesBefore = (await salesOf(page)).length;
  return page;
}

/** Polls less often than the default, which polls at each frame and makes the browser draw it. */
async function until(page: Page, isTrue: () => boolean): Promise<void> {
  await page.waitForFunction(isTrue, undefined, { polling: 50 });
}

async function signIn(page: Page, passcode = PASSCODE): Promise<void> {
  await page.evaluate(([id, code]) => core.signIn(id, code), [employeeId, passcode] as const);
}

/** One loaf for cash. */
async function sell(page: Page, price?: number): Promise<string> {
  return page.evaluate(async (own) => {
    const catalogue = core.catalogue.get();
    const [item] = catalogue?.items ?? [];
    const [variation] = item?.variations ?? [];
    if (!catalogue || !item || !variation) throw new Error('nothing to sell');
    const sold =
      own === undefined ? variation : { ...variation, price_money: { ...variation.price_money, amount: own } };
    core.updateCart((cart) => core.addItem(cart, { item, variation: sold }, catalogue));
    return (await core.charge([{ type: 'CASH' }])).status;
  }, price);
}

/** Gives the last sale that waits back, in cash. */
async function refundLast(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const sales = core.pending.get().list.filter(({ operation }) => operation === 'ringUpSale');
    const sale_id = sales.at(-1)?.id;
    await core.send('issueRefund', { sale_id, type: 'FULL', reason: 'Cold' });
  });
}

async function untilSent(page: Page): Promise<void> {
  await until(page, () => core.pending.get().count === 0 && core.isOnline.get());
}

/** Reports to the page that the network is back, so that it asks the server at once. Otherwise its pauses get longer and longer. */
async function askNow(page: Page): Promise<void> {
  await page.evaluate(() => dispatchEvent(new Event('online')));
}

/** What the tablet has sold in this test. */
async function salesOf(page: Page): Promise<number[]> {
  const deviceId = await page.evaluate(() => core.device.get()?.id ?? '');
  const rows = await server.database.sql<{ due: number }[]>`
    select due from sales where merchant_id = ${owner.merchant.id} and device_id = ${deviceId} and state = 'COMPLETED'
    order by rung_up_at, sale_id`;
  return rows.slice(salesBefore).map(({ due }) => Number(due));
}

async function untilServiceWorkerIsActive(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    if (!navigator.serviceWorker.controller) {
      await new Promise((resolve) =>
        navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true }),
      );
    }
  });
}

describe('a register', () => {
  it('is paired although the first response with its settings is lost', async () => {
    proxy.cut(/\/api\/register\/device$/, 'response');
    const lost = expect.poll(() => proxy.lost, { timeout: PATIENCE_MS }).toBeGreaterThan(0);
    const healed = lost.then(() => proxy.heal());
    const another = buyTablet();
    onTestFinished(() => another.close());
    const page = await another.open();
    await pair(page);
    await healed;
    expect(proxy.requests.filter((request) => request === 'GET /api/register/device').length).toBeGreaterThan(1);
    expect(await page.evaluate(() => core.device.get()?.name)).toBe('Counter');
  });

  it('charges cash with one request', async () => {
    const page = await startWork();
    proxy.requests.length = 0;
    expect(await sell(page)).toBe('DONE');
    expect(proxy.requests.filter((each) => each.startsWith('POST'))).toEqual(['POST /api/register/sales']);
    expect(await salesOf(page)).toEqual([450]);
  });

  it('starts without a network and without a request, and continues to sell', async () => {
    const own = await OwnBrowser.install();
    onTestFinished(() => own.remove());
    const kept = new Tablet(proxy.url, script, async () => (await own.open({ bypassCSP: true })).newPage());
    const page = await kept.open('/register');
    await pair(page);
    await signIn(page);
    await untilServiceWorkerIsActive(page);
    await page.evaluate(() => core.openDrawer(10_000 as never));
    proxy.isUp = false;
    for (let price = 1; price <= 5; price++) expect(await sell(page, price)).toBe('QUEUED');
    proxy.requests.length = 0;

    await page.reload();
    expect(await page.locator('#root').evaluate((root) => root.childElementCount)).toBeGreaterThan(0);
    const assets = proxy.requests.filter((each) => !/ \/(?:api|readyz)/.test(each));
    expect(assets.filter((each) => !each.includes('service-worker'))).toEqual([]);

    await kept.startCore(page);
    expect(await page.evaluate(() => core.pending.get().count)).toBe(5);
    expect(await page.evaluate(() => core.attendant.get()?.employeeId)).toBe(employeeId); // a reload signs nobody out
    for (let price = 6; price <= 8; price++) expect(await sell(page, price)).toBe('QUEUED');

    await kept.close();
    const again = await kept.open('/register');
    expect(await again.evaluate(() => [core.pending.get().count, core.attendant.get()])).toEqual([8, undefined]);
    await signIn(again);
    expect(await again.evaluate(() => core.attendant.get()?.isOffline)).toBe(true);
    for (let price = 9; price <= 10; price++) expect(await sell(again, price)).toBe('QUEUED');
    expect(await again.evaluate(() => core.drawer.get()?.expectedCash)).toBe(10_055);

    proxy.isUp = true;
    await untilSent(again);
    expect(await salesOf(again)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    await until(again, () => core.attendant.get()?.session !== undefined); // signed in at the server by itself
    await again.evaluate(() => core.refreshDrawer());
    expect(await again.evaluate(() => [core.drawer.get()?.expectedCash, core.drawer.get()?.isQueued])).toEqual([
      10_055,
      false,
    ]);
    expect(await findBreaches(server.database)).toEqual([]);
  });

  it.each(['request', 'response'] as const)('records a sale once if its %s is lost', async (lost) => {
    const page = await startWork();
    proxy.cut(/^\/api\/register\/sales$/, lost);
    expect(await sell(page, 777)).toBe('QUEUED');
    await untilSent(page);
    expect(await salesOf(page)).toEqual([777]);

    proxy.cut(/^\/api\/register\/queue$/, lost);
    proxy.requests.length = 0;
    expect(await sell(page, 888)).toBe('QUEUED');
    await vi.waitUntil(() => proxy.has('POST /api/register/queue'), { timeout: PATIENCE_MS });
    proxy.heal();
    await untilSent(page);
    expect(await salesOf(page)).toEqual([777, 888]);
  });

  it.each(['request', 'portal'] as const)(
    'stays offline where only /readyz gets through (%s), sells on, and sends all when the network is back',
    async (cut) => {
      const page = await startWork();
      await page.evaluate(() => {
        const changes: boolean[] = [];
        core.isOnline.subscribe(() => changes.push(core.isOnline.get()));
        Object.assign(globalThis, { changes });
      });
      const changes = () => page.evaluate(() => (globalThis as unknown as { changes: boolean[] }).changes);
      proxy.cut(/^\/api\//, cut);
      expect(await sell(page, 1)).toBe('QUEUED');
      proxy.requests.length = 0;
      // A browser repeats a request whose connection is lost.
      const asked = () => proxy.requests.filter((each) => each === 'GET /api/register/device').length;
      const askedOften = async () => {
        await askNow(page);
        return asked();
      };
      await expect.poll(askedOften, { timeout: PATIENCE_MS }).toBeGreaterThanOrEqual(4);
      expect(await page.evaluate(() => fetch('/readyz').then(({ ok }) => ok))).toBe(true);
      expect(await sell(page, 2)).toBe('QUEUED');
      expect(await changes()).toEqual([false]);
      expect(await page.evaluate(() => [core.isRevoked.get(), core.refused.get().length])).toEqual([false, 0]);

      proxy.heal();
      await askNow(page);
      await untilSent(page);
      expect(await changes()).toEqual([false, true]);
      expect(await salesOf(page)).toEqual([1, 2]);
    },
  );

  it('sends once from two tabs, which share cart and queue', async () => {
    const page = await startWork();
    const other = await tablet.open();
    await signIn(other);
    proxy.isUp = false;
    await sell(page, 1);
    await sell(other, 2);
    await sell(page, 3);
    await until(other, () => core.pending.get().count === 3);

    // A cart that one tab charges is empty in the other.
    await page.evaluate(() => {
      const catalogue = core.catalogue.get();
      const [item] = catalogue?.items ?? [];
      const [variation] = item?.variations ?? [];
      if (catalogue && item && variation) core.updateCart((cart) => core.addItem(cart, { item, variation }, catalogue));
    });
    await until(other, () => core.cart.get().lines.length === 1);
    const charge = async (tab: Page) =>
      tab.evaluate(() =>
        core.charge([{ type: 'CASH' }]).then(
          ({ status }) => status as string,
          ({ code }: { code: string }) => code,
        ),
      );
    // The other tab learns of the charge before it charges, or while it does.
    const outcomes = await Promise.all([charge(page), charge(other)]);
    expect(outcomes.filter((each) => each === 'QUEUED')).toHaveLength(1);
    expect(outcomes.find((each) => each !== 'QUEUED')).toMatch(/^(?:ALREADY_CHARGED|EMPTY_CART)$/);
    await until(other, () => core.cart.get().lines.length === 0);

    proxy.isUp = true;
    await Promise.all([untilSent(page), untilSent(other)]);
    expect(await salesOf(page)).toEqual([1, 2, 3, 450]);
  });

  it('restores the cart if the sale is refused, and shows what was refused later', async () => {
    const page = await startWork();
    const refuse = (tab: Page) =>
      tab.evaluate(async () => {
        const catalogue = core.catalogue.get();
        const [item] = catalogue?.items ?? [];
        const [variation] = item?.variations ?? [];
        if (!catalogue || !item || !variation) throw new Error('nothing to sell');
        core.updateCart((cart) => core.addItem(cart, { item, variation, quantity: '2' }, catalogue));
        // More cash is to be paid than is due.
        return core.charge([{ type: 'CASH', amount: 999_999 as never }]).then(
          ({ status }) => status as string,
          ({ code }: { code: string }) => code,
        );
      });
    expect(await refuse(page)).not.toMatch(/DONE|QUEUED/);
    await until(page, () => core.cart.get().lines.length === 1);
    expect(await page.evaluate(() => [core.pending.get().count, core.refused.get().length])).toEqual([0, 0]);

    proxy.isUp = false;
    await page.evaluate(() => fetch('/readyz').catch(() => {}));
    expect(await refuse(page)).toBe('QUEUED');
    proxy.isUp = true;
    await until(page, () => core.refused.get().length === 1);
    const [found] = await page.evaluate(() => core.refused.get());
    expect(found).toMatchObject({ canRetry: true, error: { code: expect.any(String), detail: expect.any(String) } });
    await page.evaluate((id) => core.discard(id), found?.write.id ?? '');
    expect(await page.evaluate(() => core.refused.get())).toEqual([]);
    expect(await salesOf(page)).toEqual([]);
  });

  it('knows who is clocked in, also after a sign-in without a network', async () => {
    const page = await startWork();
    await page.evaluate(() => core.clockIn());
    await untilSent(page);
    const since = () => page.evaluate(() => core.clockedInSince.get());
    expect(await since()).toBeDefined();
    await page.evaluate(() => core.lock());
    proxy.isUp = false;
    await signIn(page);
    expect(await since()).toBeDefined();

    // Clocked out elsewhere. After a reload the register has no session, and learns it from the team.
    const { token } = owner.merchant;
    const [open] = (await server.call('GET', `/v1/me/timecards?employee_id=${employeeId}`, { token })).body;
    const body = { ...open, clockout_time: new Date(Date.parse(open.clockin_time) + 1000).toISOString() };
    expect((await server.call('PUT', `/v1/me/timecards/${open.id}`, { token, body })).status).toBe(200);
    proxy.isUp = true;
    await page.reload();
    await tablet.startCore(page);
    await until(page, () => core.attendant.get() !== undefined && core.clockedInSince.get() === undefined);
  });

  it('signs what is sold and given back without a network, also after a reload and a sign-in there', async () => {
    const page = await startWork('/register');
    await untilServiceWorkerIsActive(page);
    proxy.isUp = false;
    await sell(page, 6);
    await page.reload();
    await tablet.startCore(page);
    await refundLast(page); // the reload has kept the key
    await page.evaluate(() => core.lock());
    await signIn(page); // the passcode unlocks it again
    await sell(page, 7);
    await refundLast(page);
    await page.evaluate(() => core.lock());
    proxy.isUp = true;
    await askNow(page);
    await untilSent(page);
    expect(await page.evaluate(() => core.refused.get())).toEqual([]);
    expect(await salesOf(page)).toEqual([6, 7]);
    const { writes } = (await owner.call('GET', '/api/dashboard/flagged-writes')).body;
    const told: readonly string[] = writes.map(
      ({ operation, flags }: { operation: string; flags: readonly { code: string }[] }) =>
        [operation, ...flags.map(({ code }) => code)].join(' '),
    );
    const refunds = told.filter((each) => each.startsWith('issueRefund'));
    expect(refunds).toEqual(['issueRefund PAID_OUT_OFFLINE', 'issueRefund PAID_OUT_OFFLINE']);
    expect(told.join()).not.toContain('NOT_SIGNED');
  });

  it('shows what was refused because nobody signed it, and does not send it again', async () => {
    const page = await startWork();
    proxy.isUp = false;
    await sell(page, 8);
    await refundLast(page);
    // Somebody with the tablet in hand, but without a passcode, changes what waits there.
    await page.evaluate(async () => {
      const { name = '' } = (await indexedDB.databases())[0] ?? {};
      const opened = indexedDB.open(name);
      await new Promise((resolve) => opened.addEventListener('success', resolve));
      const store = opened.result.transaction('writes', 'readwrite').objectStore('writes');
      const all = store.getAll();
      await new Promise((resolve) => all.addEventListener('success', resolve));
      const refund = all.result.find(({ operation }: { operation: string }) => operation === 'issueRefund');
      const put = store.put({ ...refund, id: crypto.randomUUID() });
      await new Promise((resolve) => put.addEventListener('success', resolve));
      opened.result.close();
    });
    proxy.isUp = true;
    await askNow(page);
    await until(page, () => core.refused.get().length > 0 && core.pending.get().count === 0);
    const [entry] = await page.evaluate(() => core.refused.get());
    expect([entry?.error.code, entry?.canRetry]).toEqual(['NOT_SIGNED', false]);
    await page.evaluate((id) => core.discard(id), entry?.write.id ?? '');
  });

  it('lets nobody in without a network after five wrong passcodes', async () => {
    const page = await startWork();
    await page.evaluate(() => core.lock());
    proxy.isUp = false;
    const attempt = (code: string) =>
      page.evaluate(
        ([id, given]) =>
          core.signIn(id, given).then(
            () => 'IN',
            (problem: { code: string }) => problem.code,
          ),
        [employeeId, code] as const,
      );
    expect(await attempt('000000')).toBe('WRONG_PASSCODE');
    expect(await attempt(PASSCODE)).toBe('IN');
    await page.evaluate(() => core.lock());
    for (let time = 1; time <= 4; time++) expect(await attempt('000000')).toBe('WRONG_PASSCODE');
    expect(await attempt('000000')).toBe('OFFLINE_SIGN_IN_ENDED');
    expect(await attempt(PASSCODE)).toBe('NO_OFFLINE_SIGN_IN');
    expect(await page.evaluate(() => core.canSignInOffline.get().size)).toBe(0);
  });

  it('keeps cart and queue when a new version is applied', async () => {
    const page = await startWork('/register');
    await untilServiceWorkerIsActive(page);
    expect(await page.evaluate(() => core.isUpdateReady.get())).toBe(false);
    proxy.change('/register/service-worker.js', (text) =>
      text.replace(/register-[0-9a-f]{12}/, 'register-000000000000'),
    );
    await page.evaluate(async () => (await navigator.serviceWorker.getRegistration('/register'))?.update());
    await until(page, () => core.isUpdateReady.get());
    proxy.isUp = false;
    await sell(page, 5);
    await Promise.all([page.waitForEvent('load'), page.evaluate(() => void core.applyUpdate())]);
    await tablet.startCore(page);
    expect(await page.evaluate(() => core.pending.get().count)).toBe(1);
    expect(await page.evaluate(() => caches.keys())).toContain('register-000000000000');
    proxy.isUp = true;
    await untilSent(page);
    expect(await salesOf(page)).toEqual([5]);
  });
});
