/**
 * Random days of taps at a register, at several tablets of one location at once. Their networks are cut at random moments. In the end tablets
 * and server have the same books. A failure prints its seed; TILLHOUSE_SEED plays the same days again.
 */
import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findBreaches } from '../../src/check/check.js';
import { CutProxy } from '../support/cut-proxy.js';
import { PASSWORD } from '../support/dashboard.js';
import { isLong, repetitions } from '../support/long.js';
import { startPageServer } from '../support/page-server.js';
import { RealBrowser } from '../support/real-browser.js';
import type { TestServer } from '../support/server.js';
import { PATIENCE_MS } from './dashboard-visit.js';
import { readServer, readTablet } from './register-books.js';
import {
  dialog,
  finger,
  goTo,
  openCart,
  payCash,
  payment,
  payOtherwise,
  ringUp,
  TEST_CARD,
  tap,
} from './register-counter.js';
import {
  ALL_PERMISSIONS,
  done,
  hire,
  openShop,
  PASSCODES,
  PHONE,
  pair,
  type Shop,
  signIn,
  TABLET,
} from './register-shop.js';

/** A tablet and a phone. */
const DAYS = repetitions({ usual: 2, long: 100 });
/** Tablets that work at the same time. */
const AT_ONCE = 3;
const STEPS = { minLength: 8, maxLength: isLong ? 24 : 12 };
const SEED = Number(process.env['TILLHOUSE_SEED'] ?? Date.now() % 2 ** 31);

const PRICES = { Espresso: 330, 'Banana bread': 1100 } as const;
type Item = keyof typeof PRICES;

type Way = 'cash' | 'other' | 'card' | 'split' | 'split, with a reload';

type Step =
  | { readonly do: 'sell'; readonly items: readonly Item[]; readonly way: Way }
  | { readonly do: 'park' | 'pay' | 'drawer' | 'paid in' | 'clock' }
  | { readonly do: 'unplug' | 'plug in' | 'lose a request' | 'lose a response' | 'reload' | 'restart' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constant('sell' as const),
      items: fc.array(fc.constantFrom<Item>('Espresso', 'Banana bread'), { minLength: 1, maxLength: 2 }),
      way: fc.constantFrom<Way>('cash', 'cash', 'other', 'card', 'split', 'split, with a reload'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom('park', 'pay', 'drawer', 'paid in', 'clock') }),
  },
  {
    weight: 7,
    arbitrary: fc.record({
      do: fc.constantFrom('unplug', 'plug in', 'lose a request', 'lose a response', 'reload', 'restart'),
    }),
  },
) as fc.Arbitrary<Step>;

let server: TestServer;
let browser: RealBrowser;
let shop: Shop;

beforeAll(async () => {
  server = await startPageServer({ guards: { pairingCodes: 1000 } });
  browser = await RealBrowser.open();
  shop = await openShop(server);
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

/** One tablet on one day, and what was done there, computed only from the taps. */
class Day {
  readonly #proxy: CutProxy;
  readonly #name: string;
  #page: Page;
  readonly #sales: { state: 'OPEN' | 'COMPLETED'; readonly due: number; readonly label?: string }[] = [];
  /** Undefined while the drawer is closed. */
  #cash: number | undefined;
  #isClockedIn = false;

  private constructor(proxy: CutProxy, page: Page, name: string) {
    this.#proxy = proxy;
    this.#page = page;
    this.#name = name;
  }

  static async begin(index: number): Promise<Day> {
    const { mia: passcode } = PASSCODES;
    const proxy = await CutProxy.start(server.baseUrl);
    const { page } = await browser.visitor({ ...(index % 2 === 1 ? PHONE : TABLET), locale: 'en-US' });
    await page.goto(`${proxy.url}/register`);
    const name = `Kim${index + 1}`;
    // A hundred days take longer than the password counts as confirmed.
    done(await shop.owner.call('POST', '/api/dashboard/session/confirm', { body: { password: PASSWORD } }));
    await hire(server, shop.owner, { first_name: name, last_name: 'Moe', passcode, permissions: ALL_PERMISSIONS });
    await pair(page, shop, name);
    await closeReports(page);
    const day = new Day(proxy, page, name);
    await day.#signIn();
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null, undefined, { polling: 50 });
    return day;
  }

  async end(): Promise<void> {
    await this.#page.context().close();
    await this.#proxy.stop();
  }

  async #signIn(): Promise<void> {
    await signIn(this.#page, `${this.#name}\\b`, PASSCODES.mia);
  }

  async play(each: Step): Promise<void> {
    switch (each.do) {
      case 'sell':
        return this.#sell(each.items, each.way);
      case 'park':
        return this.#park();
      case 'pay':
        return this.#payParked();
      case 'drawer':
        return this.#operateDrawer();
      case 'paid in':
        return this.#payIn();
      case 'clock':
        return this.#clock();
      case 'unplug':
        this.#proxy.isUp = false;
        return;
      case 'plug in':
        return this.#plugIn();
      case 'lose a request':
      case 'lose a response':
        return this.#proxy.cut(/^\/api\/register\//, each.do === 'lose a request' ? 'request' : 'response');
      case 'reload':
        await this.#page.reload();
        return;
      case 'restart': {
        const fresh = await this.#page.context().newPage();
        await this.#page.close();
        await closeReports(fresh);
        await fresh.goto(`${this.#proxy.url}/register`);
        this.#page = fresh;
        return this.#signIn();
      }
    }
  }

  #receive(cash: number): void {
    if (this.#cash !== undefined) this.#cash += cash;
  }

  #plugIn(): void {
    this.#proxy.heal();
    this.#proxy.isUp = true;
  }

  async #sell(items: readonly Item[], way: Way): Promise<void> {
    const page = this.#page;
    const due = items.reduce((sum, item) => sum + PRICES[item], 0);
    await ringUp(page, items);
    if (way === 'card' && (await this.#chooseCard())) {
      await page.getByRole('button', { name: TEST_CARD }).click();
      // Chosen in a short moment without a network: the register waits until it knows the outcome.
      if (!this.#proxy.isUp) this.#plugIn();
    } else if (way === 'other') await payOtherwise(page);
    else if (way.startsWith('split')) {
      await payment(page).getByRole('button', { name: 'Split' }).click();
      await tap(page, /^2 people/);
      await payment(page).getByText('Part of').waitFor();
      await payOtherwise(page);
      await payment(page).getByText('To pay').waitFor();
      if (way === 'split, with a reload') await page.reload();
      await payCash(page);
      this.#receive(Math.floor(due / 2));
    } else {
      await payCash(page);
      this.#receive(due);
    }
    await tap(page, 'Next sale');
    this.#sales.push({ state: 'COMPLETED', due });
  }

  /** Returns false if cards need the network. While every request is lost, the card button is still available for short moments. */
  async #chooseCard(): Promise<boolean> {
    const card = payment(this.#page).getByRole('button', { name: 'Card', exact: true });
    return card.click({ timeout: 3000 }).then(
      () => true,
      () => false,
    );
  }

  /** Parks a sale under a unique label, because all tablets see it. */
  async #park(): Promise<void> {
    const page = this.#page;
    const label = `${this.#name}-${this.#sales.length}`;
    await page
      .getByRole('region', { name: 'Items' })
      .getByRole('button', { name: /^Espresso/ })
      .click();
    await openCart(page);
    await tap(page, 'Park');
    await dialog(page).getByRole('textbox').fill(label);
    await tap(page, 'Park it');
    await dialog(page).waitFor({ state: 'hidden' });
    this.#sales.push({ state: 'OPEN', due: 330, label });
  }

  /** Takes up a sale that was parked here, if the network is there to show it. */
  async #payParked(): Promise<void> {
    const page = this.#page;
    const parked = this.#sales.find(({ state }) => state === 'OPEN');
    if (!parked) return;
    await goTo(page, 'Open', finger);
    const own = page.getByRole('button', { name: new RegExp(`^${parked.label}\\b`) });
    const isThere = await own.waitFor({ timeout: 1000 }).then(
      () => true,
      () => false,
    );
    if (!isThere) return goTo(page, 'Sell', finger);
    await own.click();
    await openCart(page);
    await tap(page, /^Charge/);
    await payCash(page);
    await tap(page, 'Next sale');
    parked.state = 'COMPLETED';
    this.#receive(330);
  }

  async #operateDrawer(): Promise<void> {
    const page = this.#page;
    await goTo(page, 'Drawer', finger);
    if (this.#cash === undefined) {
      await page.getByLabel('How many $50.00', { exact: true }).fill('1');
      await tap(page, 'Open with $50.00');
      await page.getByText('Opened with').waitFor();
      this.#cash = 5000;
    } else {
      await tap(page, 'End the shift');
      await tap(page, 'End it');
      await tap(page, 'Close the drawer');
      await tap(page, 'Yes, it is empty'); // nothing is counted here
      await dialog(page).getByRole('textbox').fill('Not counted');
      await tap(page, /^Close with/);
      await page.getByRole('button', { name: /^Open with/ }).waitFor({ state: 'attached' });
      this.#cash = undefined;
    }
    await goTo(page, 'Sell', finger);
  }

  async #payIn(): Promise<void> {
    if (this.#cash === undefined) return;
    const page = this.#page;
    await goTo(page, 'Drawer', finger);
    await tap(page, 'Paid in');
    await page.keyboard.type('1234', { delay: 60 });
    await dialog(page)
      .getByRole('button', { name: /\$12\.34/ })
      .click();
    await dialog(page).waitFor({ state: 'hidden' });
    await goTo(page, 'Sell', finger);
    this.#cash += 1234;
  }

  async #clock(): Promise<void> {
    const page = this.#page;
    await page
      .getByRole('banner')
      .getByRole('button', { name: /clocked in/ })
      .click();
    await page.getByRole('menuitem', { name: this.#isClockedIn ? 'Clock out' : 'Clock in' }).click();
    this.#isClockedIn = !this.#isClockedIn;
    await this.#expectClock();
  }

  async #expectClock(): Promise<void> {
    const words = this.#isClockedIn ? /clocked in since/ : /not clocked in/;
    await this.#page.getByRole('banner').getByText(words).first().waitFor({ state: 'attached' });
  }

  /** The network is back. All is sent, nothing was refused, and both sides have what was tapped. */
  async expectEqualBooks(): Promise<void> {
    this.#proxy.heal();
    this.#proxy.isUp = true;
    const page = this.#page;
    await expect.poll(async () => (await readTablet(page)).writes, { timeout: 2 * PATIENCE_MS }).toEqual([]);
    const here = await readTablet(page);
    const there = await readServer(server, shop, here.deviceId);
    const known = this.#sales.map(({ state, due }) => [state, due]);
    expect(there.sales.map(({ state, due }) => [state, due]).sort()).toEqual(known.sort());
    for (const { state, due, paid } of there.sales) expect(paid).toBe(state === 'COMPLETED' ? due : 0);
    expect(there.sales.map(({ id }) => id).sort()).toEqual([...here.saleIds].sort());
    expect([there.expectedCash, here.expectedCash]).toEqual([this.#cash, this.#cash]);
    await this.#expectClock();
    const [{ timecards } = { timecards: 0 }] = await server.database.sql<{ timecards: number }[]>`
      select count(*)::int as timecards from timecards t join employees e using (merchant_id, employee_id)
      where t.merchant_id = ${shop.owner.merchant.id} and e.first_name = ${this.#name} and t.clockout_at is null`;
    expect(timecards).toBe(this.#isClockedIn ? 1 : 0);
  }
}

/** Closes the report of a closed shift, which opens when the server responds, and never without a network. */
async function closeReports(page: Page): Promise<void> {
  const report = page.getByRole('dialog', { name: 'Z report' });
  await page.addLocatorHandler(report, () => report.getByRole('button', { name: 'Close', exact: true }).click());
}

async function live(index: number, steps: readonly Step[]): Promise<void> {
  const day = await Day.begin(index);
  let at = 0;
  try {
    for (; at < steps.length; at++) await day.play(steps[at] as Step);
    await day.expectEqualBooks();
  } catch (error) {
    const story = steps.map((each, place) => `${place === at ? '> ' : ''}${JSON.stringify(each)}`).join('\n');
    throw new Error(`Day ${index + 1} of TILLHOUSE_SEED=${SEED}:\n${story}`, { cause: error });
  } finally {
    await day.end();
  }
}

it(
  'random days at tablets end with equal books on both sides',
  async () => {
    const days = fc.sample(fc.array(step, STEPS), { seed: SEED, numRuns: DAYS });
    const left = [...days.entries()];
    const work = async (): Promise<void> => {
      for (let next = left.shift(); next; next = left.shift()) await live(...next);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    expect(await findBreaches(server.database)).toEqual([]);
  },
  isLong ? 3_600_000 : 400_000,
);
