/** A day of a new business: its owner has a browser only. The cashier and a shopper work at a register and in the store. */
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { changeClock } from '../support/clock.js';
import { createOwner, type TestOwner } from '../support/dashboard.js';
import { placePaid } from '../support/orders.js';
import { startPageServer } from '../support/page-server.js';
import { expectBooksInOrder } from '../support/payments.js';
import { closeShift, endShift, openShift, type Register, signInAt } from '../support/people.js';
import { RealBrowser } from '../support/real-browser.js';
import { card, cash, sell, type WireSale } from '../support/register-sales.js';
import type { TestServer } from '../support/server.js';
import { made } from '../support/settlements.js';
import { untilShown, type Visit, visit } from './dashboard-visit.js';

const TIME_LIMIT_MS = 600_000;

let server: TestServer;
let browser: RealBrowser;
let owner: TestOwner;

beforeAll(async () => {
  [server, browser] = [await startPageServer(), await RealBrowser.open()];
  owner = await createOwner(server, {
    locations: [{ name: 'Counter', timezone: 'America/New_York' }],
    clock: { now: '2026-03-11T13:00:00Z', frozen: true },
  });
});
afterAll(async () => {
  await expectBooksInOrder(server);
  await browser.close();
  await server.stop();
});

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });

/** Dispatches a click on an enabled button. Other tests open these forms with the mouse. */
async function press(target: Locator): Promise<void> {
  await target.and(target.page().locator(':enabled')).dispatchEvent('click');
}

async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label, exact: true }).last().click();
  await page.getByRole('option', { name: option }).click();
}

async function setUpLocation({ page, goTo }: Visit): Promise<void> {
  await goTo('/dashboard/locations');
  await press(button(page, 'Add a location'));
  await field(page, 'Name').fill('Harbour');
  await page.getByRole('combobox', { name: 'Time zone' }).fill('New_York');
  await page.getByRole('option', { name: 'America/New_York' }).click();
  await press(button(page, 'Add'));
  await page.getByRole('heading', { level: 1, name: 'Harbour' }).waitFor();
}

async function setUpCatalogue({ page, goTo }: Visit): Promise<void> {
  await goTo('/dashboard/catalogue?tab=taxes');
  await press(button(page, 'New tax'));
  await field(page, 'Name').fill('Sales tax');
  await field(page, 'Percentage').fill('10');
  await press(button(page, 'Create'));
  await page.getByRole('cell', { name: '10 %' }).waitFor();
  await page.getByRole('tab', { name: 'Items' }).click();
  await page.getByRole('link', { name: 'New item' }).first().click();
  await field(page, 'Name').fill('Rye loaf');
  await field(page, 'Price').fill('6.00');
  await page.getByRole('switch', { name: 'Sold online' }).click();
  await press(button(page, 'Save item').first());
  await page.getByRole('link', { name: 'Rye loaf' }).waitFor();
}

async function setUpTeam({ page, goTo }: Visit): Promise<string> {
  await goTo('/dashboard/team?tab=roles');
  await press(button(page, 'Create a role').first());
  await field(page, 'Name').fill('Cashier');
  await page.getByRole('switch', { name: 'Everything' }).click();
  await press(button(page, 'Create'));
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('tab', { name: 'Employees' }).click();
  await press(button(page, 'Add an employee').first());
  await field(page, 'First name').fill('Ada');
  await field(page, 'Last name').fill('Byron');
  await choose(page, 'Role', 'Cashier');
  await press(button(page, 'Add'));
  await page.getByRole('link', { name: 'Ada Byron' }).click();
  await page.getByRole('heading', { name: 'Ada Byron', exact: true }).waitFor();
  await press(button(page, 'Set passcode'));
  await page.getByLabel('New passcode').fill('2468');
  await page.getByRole('dialog').getByRole('button', { name: 'Set passcode' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  return page.url().split('/').at(-1) ?? '';
}

async function linkBank({ page, goTo }: Visit): Promise<void> {
  await goTo('/dashboard/payouts');
  await press(button(page, 'Link an account').first());
  await field(page, 'Bank').fill('First Bank');
  await field(page, 'Name on the account').fill('Ana Ruiz');
  await field(page, 'Routing number').fill('021000021');
  await field(page, 'Account number').fill('000123456789');
  await press(button(page, 'Link account'));
  await page.getByText('In use', { exact: true }).waitFor();
}

/** The register shows a code, and the owner types it. Then the cashier signs in there. */
async function setUpRegister({ page, goTo }: Visit, employeeId: string): Promise<Register> {
  const { code, device_token: token } = made(await server.call('POST', '/api/register/pairing-codes'));
  await goTo('/dashboard/devices');
  await press(button(page, 'Pair a device').first());
  await field(page, 'Code on the register').fill(code);
  await field(page, 'Name').fill('Till');
  await choose(page, 'Location', 'Counter');
  await press(button(page, 'Pair'));
  await page.getByText('Now answer on the register').waitFor();
  const agreed = { device_token: token, accept: true };
  made(await server.call('POST', '/api/register/pairing-codes/answer', { body: agreed }));
  await page.getByRole('cell', { name: 'Till', exact: true }).waitFor();
  const call: TestServer['call'] = (method, path, options) => server.call(method, path, { token, ...options });
  const signIn = (employee_id: string, passcode?: string) =>
    call('POST', '/api/register/session', { body: { employee_id, passcode } });
  const { id, location_id } = made(await call('GET', '/api/register/device'));
  return signInAt({ id, name: 'Till', locationId: location_id, token, call, signIn }, employeeId, '2468');
}

/** Rings up loaves with the prices and taxes of the catalogue. */
async function sellLoaves(register: Register, quantity: number, tender: ReturnType<typeof card>): Promise<WireSale> {
  const { catalogue } = made(await register.call('GET', '/api/register/catalogue'));
  const [[loaf], [tax]] = [catalogue.items, catalogue.taxes];
  const [variation] = loaf.variations;
  return sell(register, {
    itemizations: [
      {
        name: loaf.name,
        quantity: String(quantity),
        single_quantity_money: { amount: variation.price_money.amount },
        item_detail: { item_id: loaf.id, item_variation_id: variation.id },
        taxes: [{ name: tax.name, fee_id: tax.id, rate: tax.rate }],
      },
    ],
    tenders: [tender],
  });
}

async function orderOnline(locationId: string): Promise<void> {
  const body = { location_id: locationId };
  const { publishable_key: key } = made(await owner.call('POST', '/api/dashboard/publishable-keys', { body }));
  const call: TestServer['call'] = (method, path, options) => server.call(method, path, { token: key, ...options });
  const [item] = made(await call('GET', '/api/checkout/catalogue')).items;
  const store = { merchant: owner.merchant, locationId, key, itemIds: [item.id], call };
  await placePaid(store, { recipient: { name: 'Bo Chen' } });
}

async function readCsv(page: Page): Promise<string[]> {
  const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'CSV').click()]);
  return (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
}

const toDay = (now: string) => changeClock(server, owner.merchant.id, { now, frozen: true });

it(
  'an owner sets up a business, watches it, mends what went wrong, and finds every sale in the payout',
  async () => {
    const visited = await visit(browser, server, owner.session);
    const { page, goTo } = visited;
    await setUpLocation(visited);
    await setUpCatalogue(visited);
    const employeeId = await setUpTeam(visited);
    await linkBank(visited);
    const register = await setUpRegister(visited, employeeId);

    // Sales appear by themselves.
    made(await register.write('/api/register/timecards/clock-in'));
    const shift = await openShift(register, 10_000);
    await goTo('/dashboard/sales');
    await untilShown(page, 'empty');
    await toDay('2026-03-11T14:00:00Z');
    await sellLoaves(register, 2, card(1320));
    await page.getByRole('row', { name: /Visa 1111.*\$13\.20|\$13\.20/ }).waitFor();
    await sellLoaves(register, 1, cash(660));
    await page.getByRole('row', { name: /Cash.*\$6\.60/ }).waitFor();

    // One loaf was stale.
    await page
      .getByRole('row', { name: /\$13\.20/ })
      .getByRole('link')
      .click();
    await button(page, 'Refund').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Items', { exact: true }).click();
    await dialog.getByLabel('Rye loaf').fill('1');
    await dialog.getByLabel('Reason').fill('Stale');
    await dialog.getByRole('button', { name: /^Refund \$6\.60 to / }).click();
    await page.getByText(/^Refund of \$6\.60 to /).waitFor();

    // An order comes in, and is sent.
    await goTo('/dashboard/orders');
    await orderOnline(register.device.locationId);
    await page.getByRole('region', { name: 'To ship' }).getByText('Bo Chen').click();
    await button(page, 'Complete').click();
    await dialog.getByLabel('Tracking number').fill('1Z-17');
    await dialog.getByRole('button', { name: 'Complete' }).click();
    await page.getByText('1Z-17').waitFor();

    // The drawer is a dollar short: 100.00 and 6.60 are expected.
    await endShift(register, shift.id);
    await closeShift(register, shift.id, 10_560);
    await goTo('/dashboard/cash-drawers');
    await page.getByText('−$1.00 short').waitFor();

    // The cashier has forgotten to clock out.
    await goTo('/dashboard/timecards?tab=list');
    await page.getByRole('link', { name: 'Ada Byron' }).first().click();
    await button(page, 'Edit times').click();
    await page.getByLabel('Clocked out').fill('2026-03-11T09:45');
    await button(page, 'Save').click();
    await page.getByText('Changed in the dashboard').waitFor();

    // The next day: the payout, and every sale in it.
    await toDay('2026-03-12T16:00:00Z');
    await goTo('/dashboard/payouts');
    await page.getByRole('table').getByRole('link').first().click();
    await page.getByRole('heading', { name: /^Settlement of/ }).waitFor();
    const links = page.getByRole('link', { name: 'Show' });
    await links.first().waitFor();
    const places = await links.evaluateAll((all) => all.map((each) => (each as HTMLAnchorElement).pathname));
    expect(places).toHaveLength(3); // the card, its refund, and the order
    for (const place of new Set(places)) {
      await goTo(place);
      await page.getByRole('heading', { level: 1, name: /^Rye loaf/ }).waitFor();
      await page.getByText('Timeline').waitFor();
    }

    // The month: three sales with four loaves, of which one came back.
    await goTo('/dashboard/reports?range=30d&group=ITEM');
    await untilShown(page, 'full');
    const [header = '', ...rows] = await readCsv(page);
    const items = rows.map((row) =>
      Object.fromEntries(header.split(',').map((name, at) => [name, row.split(',')[at]])),
    );
    expect(items[0]).toMatchObject({ Item: 'Rye loaf' });
    expect(visited.complaints).toEqual([]);
  },
  TIME_LIMIT_MS,
);
