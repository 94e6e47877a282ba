/** What a cashier does besides ringing up: working hours, handing over, settings, prices, tips, and online orders. */
import { describe, expect, it } from 'vitest';
import { placePaid, type TestStore } from '../support/orders.js';
import { mainLocation } from '../support/people.js';
import { expectAccessible, expectNoSidewaysScroll, PATIENCE_MS, visit } from './dashboard-visit.js';
import { addTile, dialog, finger, goTo, payCash, payment, sellForCash, tile, untilTotal } from './register-counter.js';
import { done, PASSCODES, PHONE, signIn, usd, workAtOneTablet } from './register-shop.js';

const counter = workAtOneTablet({
  prepare: async ({ owner }) => {
    const path = `/api/dashboard/locations/${mainLocation(owner.merchant)}`;
    const { location, version } = done(await owner.call('GET', path));
    const { name, timezone } = location;
    const body = { name, timezone, version, status: 'ACTIVE', tip_percentages: [10, 15, 20] };
    done(await owner.call('PUT', path, { body }));
  },
});

describe('people at the register', () => {
  it('clock in and out, hand over with two taps, and see since when they work', async () => {
    const { page, tap, complaints } = counter.tablet;
    await signIn(page, 'Mia', PASSCODES.mia);
    const mia = page.getByRole('button', { name: /^Mia L/ });
    await mia.getByText('not clocked in').waitFor();
    await mia.click();
    await expectAccessible(page);
    await page.getByRole('menuitem', { name: 'Clock in' }).click();
    await mia.getByText(/^clocked in since \d/).waitFor();

    // Two taps: Lock, and the next face. The cart stays.
    await addTile(page, 'Espresso');
    await tap('Lock');
    await page
      .getByRole('button', { name: /^Mia Lund/ })
      .getByText(/^clocked in since/)
      .waitFor();
    await page.getByRole('button', { name: /^Ada Berg/ }).click();
    await page.keyboard.type(PASSCODES.ada);
    await page.keyboard.press('Enter');
    await page
      .getByRole('button', { name: /^Ada B/ })
      .getByText('not clocked in')
      .waitFor();
    await untilTotal(page, '$3.30');
    await tap('More for this sale');
    await page.getByRole('menuitem', { name: 'Clear the cart' }).click();
    await expectAccessible(page);
    await tap('Clear it');
    await untilTotal(page, '$0.00');

    await page.getByRole('button', { name: /^Ada B/ }).click();
    await page.getByRole('menuitem', { name: 'Switch person' }).click();
    await signIn(page, 'Mia', PASSCODES.mia);
    await mia.click();
    await page.getByRole('menuitem', { name: 'Clock out' }).click();
    await mia.getByText('not clocked in').waitFor();
    // The clock-out is shown at once, and sent afterwards.
    const timecards = async () => done(await counter.shop.owner.call('GET', '/api/dashboard/timecards')).timecards;
    await expect
      .poll(timecards, { timeout: PATIENCE_MS })
      .toEqual([expect.objectContaining({ employee_id: counter.shop.mia.id, clockout_time: expect.any(String) })]);
    expect(complaints).toEqual([]);
  });

  it('change the price of an item where they may', async () => {
    const { page, tap, press } = counter.tablet;
    await signIn(page, 'Ada', PASSCODES.ada);
    await tile(page, 'Flat white').click();
    await tap('Edit name and price');
    await expectAccessible(page);
    await dialog(page).getByLabel('Price of Small').fill('four');
    await dialog(page).getByText('Type an amount, such as 4.50.').waitFor();
    expect(await dialog(page).getByRole('button', { name: 'Save for all registers' }).isDisabled()).toBe(true);
    await dialog(page).getByLabel('Price of Small').fill('4.20');
    await tap('Save for all registers');
    await tile(page, 'Flat white').getByText('from $4.20').waitFor();

    await press('Lock');
    await signIn(page, 'Mia', PASSCODES.mia);
    await tile(page, 'Flat white').click();
    await dialog(page)
      .getByRole('button', { name: /^Small/ })
      .waitFor();
    expect(await page.getByRole('button', { name: /^Edit name/ }).count()).toBe(0);
  });
});

describe('the receipt of a sale', () => {
  it('makes room for the next sale, also when nobody has tapped it away', async () => {
    const { page, press } = counter.tablet;
    await signIn(page, 'Mia', PASSCODES.mia);
    await addTile(page, 'Espresso');
    await press(/^Charge/);
    await payCash(page);
    await page.getByRole('button', { name: 'Next sale' }).waitFor();
    await goTo(page, 'Sell');
    await addTile(page, 'Banana bread');
    await sellForCash(page);
    const [last] = done(await counter.shop.owner.call('GET', '/api/dashboard/sales')).sales;
    expect(last).toMatchObject({ total_money: { amount: 1100 } });
  });
});

describe('buyers', () => {
  it('choose a tip on their side of the screen before they tap their card', async () => {
    const { page, tap, press } = counter.tablet;
    await signIn(page, 'Mia', PASSCODES.mia);
    await addTile(page, 'Banana bread');
    await press(/^Charge/);
    await payment(page).getByRole('button', { name: 'Card', exact: true }).click();
    const tip = page.getByRole('region', { name: 'Add a tip?' });
    await tip.getByText('Harbour Coffee').waitFor();
    // The question covers the screen, so that the tablet can be turned around.
    expect(await tip.locator('xpath=..').boundingBox()).toEqual({ x: 0, y: 0, width: 1180, height: 820 });
    await expectAccessible(page);
    await tap('Other amount');
    await page.keyboard.type('500');
    await expectAccessible(page);
    await tap('Back');
    await page.setViewportSize({ width: 360, height: 740 });
    await expectNoSidewaysScroll(page);
    await page.setViewportSize({ width: 1180, height: 820 });
    await tip.getByRole('button', { name: /^15 %/ }).click();
    await page.getByText('With a tip of $1.65: $12.65').waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: /Visa, contactless/ }).click();
    await tap('Receipt');
    await dialog(page).getByText('Tip', { exact: true }).waitFor();
    await press('Close');
    await press('Next sale');
    const [sale] = done(await counter.shop.owner.call('GET', '/api/dashboard/sales')).sales;
    expect(sale).toMatchObject({ total_money: { amount: 1265 }, tip_money: { amount: 165 } });
  });

  it('order online: a bell rings, and the order is shown, completed, or canceled with its refund', async () => {
    const { page, tap, press, complaints } = counter.tablet;
    const store = await openStore();
    await page.clock.install();
    await page.addInitScript(() => {
      const start = OscillatorNode.prototype.start;
      OscillatorNode.prototype.start = function (at) {
        Object.assign(window, { tones: ((window as { tones?: number }).tones ?? 0) + 1 });
        return start.call(this, at);
      };
    });
    await counter.tablet.open('/register');
    await signIn(page, 'Ada', PASSCODES.ada);
    await goTo(page, 'Orders');
    await page.getByRole('heading', { name: 'No orders wait' }).waitFor();
    await expectAccessible(page);
    await goTo(page, 'Sell');
    // Both orders come with one list, also if the register asks while they are placed.
    let letPass = (): void => {};
    const placed = new Promise<void>((resolve) => {
      letPass = resolve;
    });
    await page.route('**/api/register/orders*', async (route) => {
      await placed;
      await route.continue();
    });
    await placePaid(store, { recipient: { name: 'Bo Chen' }, buyer_note: 'Ring twice' });
    await placePaid(store, { recipient: { name: 'Ana Ruiz' } });
    letPass();
    await page.clock.fastForward(15_000); // when the list is loaded again
    await page.getByRole('alert').getByText('Bo Chen: $22.00').waitFor();
    await page.waitForFunction(() => (window as { tones?: number }).tones === 2, undefined, { polling: 50 }); // one bell of two tones
    await page.getByRole('alert').getByText('Ana Ruiz: $22.00').click();

    await page.getByRole('button', { name: /^Bo Chen/ }).click();
    await dialog(page).getByText('2 × Banana bread').waitFor();
    await dialog(page).getByText('Ring twice').waitFor();
    await dialog(page).getByText('1 Main St').waitFor();
    await expectAccessible(page);
    await tap('Complete the order');
    await page.getByRole('button', { name: /^Bo Chen/ }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^Ana Ruiz/ }).click();
    await tap('Cancel the order');
    await expectAccessible(page);
    await tap('Cancel and refund $22.00');
    await page.getByRole('heading', { name: 'No orders wait' }).waitFor();
    const { orders } = done(await counter.shop.owner.call('GET', '/api/dashboard/orders'));
    expect(
      orders.map((order: { recipient_name: string; state: string }) => [order.recipient_name, order.state]),
    ).toEqual([
      ['Ana Ruiz', 'CANCELED'],
      ['Bo Chen', 'COMPLETED'],
    ]);
    expect(complaints).toEqual([]);

    // A paid order is refunded when it is canceled, so not everybody may cancel it.
    await placePaid(store, { recipient: { name: 'Cy Park' } });
    await press('Lock');
    await signIn(page, 'Mia', PASSCODES.mia);
    await goTo(page, 'Orders');
    await page.getByRole('button', { name: /^Cy Park/ }).click();
    await dialog(page).getByText('2 × Banana bread').waitFor();
    expect(await dialog(page).getByRole('button', { name: 'Cancel the order' }).count()).toBe(0);
  });

  /** The online store of the location, with banana bread. */
  async function openStore(): Promise<TestStore> {
    const { owner } = counter.shop;
    const locationId = mainLocation(owner.merchant);
    const body = { location_id: locationId };
    const { publishable_key: key } = done(await owner.call('POST', '/api/dashboard/publishable-keys', { body }));
    const call: TestStore['call'] = (method, path, options) =>
      counter.server.call(method, path, { token: key, ...options });
    const { items } = done(await call('GET', '/api/checkout/catalogue'));
    const { id } = items.find(({ name }: { name: string }) => name === 'Banana bread');
    return { merchant: owner.merchant, locationId, key, itemIds: [id], call };
  }
});

describe('an open sale of an earlier version', () => {
  it('has no lines, and can be taken up and paid, once, without a network', async () => {
    const { page, tap } = counter.tablet;
    await signIn(page, 'Mia', PASSCODES.mia);
    await addTile(page, 'Espresso');
    await tap('Park');
    await tap('Park it');
    await untilTotal(page, '$0.00');
    // The sale may still wait to be sent.
    const { sql } = counter.server.database;
    const forgetLines = () => sql`
      update sales set open_lines = null
      where merchant_id = ${counter.shop.owner.merchant.id} and open_lines is not null
      returning sale_id`;
    await expect.poll(forgetLines, { timeout: PATIENCE_MS }).toHaveLength(1);
    await goTo(page, 'Open');
    const open = page.getByRole('button', { name: /^Sale without its items/ });
    await open.click();
    await untilTotal(page, '$3.30');
    await page.context().setOffline(true);
    await page.getByText('Offline: selling goes on').waitFor();
    await sellForCash(page);
    await goTo(page, 'Open');
    await open.getByText('waits to be sent').waitFor();
    expect(await open.isDisabled()).toBe(true);
    await page.context().setOffline(false);
    const sale = async () => done(await counter.shop.owner.call('GET', '/api/dashboard/sales')).sales[0];
    const paid = expect.objectContaining({ state: 'COMPLETED', total_money: usd(330) });
    await expect.poll(sale, { timeout: PATIENCE_MS }).toEqual(paid);
    await page.getByRole('heading', { name: 'No open sales' }).waitFor();
  });
});

// The last tests with this tablet, because it locks soon afterwards.
describe('settings', () => {
  it('are changed by those who may, and the register locks when nobody touches it for so long', async () => {
    const { page, tap } = counter.tablet;
    await page.clock.install();
    await counter.tablet.open('/register');
    await signIn(page, 'Ada', PASSCODES.ada);
    await goTo(page, 'Settings');
    await page.getByRole('heading', { name: 'Settings', exact: true }).waitFor();
    await expectAccessible(page);
    await page.getByLabel('Name').fill('Window counter');
    await tap('30 s');
    await tap('Save');
    await page.getByText('Saved.').waitFor();
    await page.getByRole('banner').getByText('Window counter').waitFor();
    await page.clock.fastForward(31_000); // the new time counts without another touch
    await page.getByRole('heading', { name: 'Who is there?' }).waitFor();
    await signIn(page, 'Ada', PASSCODES.ada);
    // The clock is paused between these steps, because on a busy machine they take long.
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 10_000);
    await goTo(page, 'Settings', finger); // a touch
    await page.clock.fastForward(25_000);
    await goTo(page, 'Sell', finger); // another one
    await page.clock.fastForward(25_000);
    expect(await page.getByRole('button', { name: 'Lock', exact: true }).count()).toBe(1);
    await page.clock.fastForward(6000);
    await page.getByRole('heading', { name: 'Who is there?' }).waitFor();
    await page.clock.resume();

    await signIn(page, 'Mia', PASSCODES.mia);
    await page.evaluate(() => location.assign('#/settings'));
    await tile(page, 'Espresso').waitFor();
    expect(await page.getByRole('heading', { name: 'Settings' }).count()).toBe(0);
  });
});

describe('an address without https', () => {
  it('says before pairing why a register needs it', async () => {
    const { page } = await visit(counter.browser, counter.server, undefined, PHONE);
    // A name of another machine, at which the same server responds.
    await page.route('http://shop.example/**', async (route) => {
      const { pathname } = new URL(route.request().url());
      await route.fulfill({ response: await route.fetch({ url: counter.server.baseUrl + pathname }) });
    });
    await page.goto('http://shop.example/register');
    await page.getByRole('alert').getByText('This address needs https').waitFor();
    expect(await page.getByRole('img', { name: /^Code/ }).count()).toBe(0);
    await expectNoSidewaysScroll(page);
    await expectAccessible(page);
    await page.context().close();
  });
});
