/** What an owner sets up in the dashboard, in a real browser: locations, the business, registers by code, personal tokens, subscriptions. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createOwner, type TestOwner } from '../support/dashboard.js';
import { startPageServer } from '../support/page-server.js';
import { mainLocation } from '../support/people.js';
import { makePng } from '../support/pictures.js';
import { RealBrowser } from '../support/real-browser.js';
import { subscribe } from '../support/receiver.js';
import type { TestServer } from '../support/server.js';
import { asPhone, expectAccessible, expectNoSidewaysScroll, shareVisit, untilShown, visit } from './dashboard-visit.js';

let server: TestServer;
let browser: RealBrowser;
let owner: TestOwner;

beforeAll(async () => {
  [server, browser] = [await startPageServer(), await RealBrowser.open()];
  owner = await createOwner(server, { locations: [{ name: 'Counter', timezone: 'America/New_York' }] });
});
afterAll(() => server.stop());
afterEach(() => browser.close());

/** Each test at the desk needs other records of the owner. */
const atDesk = shareVisit((own) => visit(own, server, owner.session));

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });
const save = (page: Page) => page.getByRole('button', { name: 'Save', exact: true });
const readLocation = async (id = mainLocation(owner.merchant)) =>
  (await owner.call('GET', `/api/dashboard/locations/${id}`)).body;

async function editElsewhere(change: Record<string, unknown>): Promise<void> {
  const { version, location } = await readLocation();
  const { id, name, timezone, status } = location;
  const body = { version, name, timezone, status, ...change };
  expect((await owner.call('PUT', `/api/dashboard/locations/${id}`, { body })).status).toBe(200);
}

describe('locations', () => {
  it('show an editor what another one changed, and keep what was typed', async () => {
    const { page, open } = await visit(browser, server, owner.session);
    await page.route('**/api/dashboard/changes', (route) => route.abort()); // without notices, it finds the conflict when it saves
    await open(`/dashboard/locations/${mainLocation(owner.merchant)}`);
    await page.getByRole('textbox', { name: 'Phone' }).fill('555 0100');
    await page.getByRole('textbox', { name: 'Name' }).fill('My name');
    await editElsewhere({ name: 'Their name', business_email: 'them@example.com' });
    await save(page).click();
    const note = page.getByRole('alert').filter({ hasText: 'Changed meanwhile' });
    await note.waitFor();
    expect(await note.textContent()).toMatch(/Name.*is now Their name.*Email: empty is now them@example.com/);
    expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('My name');
    expect(await page.getByRole('textbox', { name: 'Phone' }).inputValue()).toBe('555 0100');
    expect(await page.getByRole('textbox', { name: 'Email' }).inputValue()).toBe('them@example.com');
    await expectAccessible(page);
    await save(page).click();
    await note.waitFor({ state: 'detached' });
    expect((await readLocation()).location).toMatchObject({
      ...{ name: 'My name', phone_number: '555 0100' },
      business_email: 'them@example.com',
    });
  });

  it('fit a phone, and keep what was typed while the server does not respond', async () => {
    const { page, goTo } = await atDesk();
    await asPhone(page, async () => {
      await goTo(`/dashboard/locations/${mainLocation(owner.merchant)}`);
      await page.getByRole('textbox', { name: 'Name' }).fill('x'.repeat(255));
      await page.getByRole('button', { name: 'Add hours on Sunday' }).click();
      await expectNoSidewaysScroll(page); // colours and targets of this page: dashboard.test.ts
      await page.context().setOffline(true);
      await save(page).click();
      await page.getByText('The server does not respond.').waitFor();
      expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('x'.repeat(255));
      await page.context().setOffline(false);
      await page.getByText('The server does not respond.').waitFor({ state: 'detached' });
      await save(page).click();
      await save(page).waitFor({ state: 'detached' });
      expect((await readLocation()).location.name).toBe('x'.repeat(255));
      await expectNoSidewaysScroll(page);
    });
  });

  it('are added and edited, with hours, tips and tax', async () => {
    const { page, complaints, goTo } = await atDesk();
    await goTo('/dashboard/locations');
    await page.getByRole('button', { name: 'Add a location' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('<script>alert(1)</script>');
    await page.getByRole('combobox', { name: 'Time zone' }).fill('Berlin');
    await page.getByRole('option', { name: 'Europe/Berlin' }).click();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await heading(page, '<script>alert(1)</script>').waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('Harbour');
    await page.getByRole('textbox', { name: 'Street' }).fill('1 Pier');
    await page.getByRole('button', { name: 'Add hours on Monday' }).click();
    await page.getByLabel('Monday from').fill('08:30');
    await page.getByRole('button', { name: 'Same hours every day' }).click();
    await page.getByRole('textbox', { name: 'Text on receipts' }).fill('Thank you!');
    const file = { name: 'logo.png', mimeType: 'image/png', buffer: makePng(40, 20) };
    await page.locator('input[type="file"]').setInputFiles(file);
    await page.getByRole('img', { name: 'Logo on receipts: preview' }).waitFor();
    await page.getByText('15 %', { exact: true }).click();
    await page.getByText('20 %', { exact: true }).click();
    await page.getByRole('switch', { name: 'Sales tax on custom amounts' }).click();
    await page.getByRole('textbox', { name: 'Rate in percent' }).fill('19');
    await expectAccessible(page);
    await save(page).click();
    await heading(page, 'Harbour').waitFor();
    await save(page).waitFor({ state: 'detached' });
    const id = page.url().split('/').at(-1) ?? '';
    const { location, logo, tip_percentages, receipt_text, sales_tax } = await readLocation(id);
    expect((await server.call('GET', logo.url)).status).toBe(200);
    expect(location).toMatchObject({
      name: 'Harbour',
      timezone: 'Europe/Berlin',
      address: { address_line_1: '1 Pier' },
    });
    expect(location.business_hours.periods).toHaveLength(7);
    expect([tip_percentages, receipt_text, sales_tax.percentage]).toEqual([[15, 20], 'Thank you!', '19']);
    await page.getByRole('link', { name: 'Locations' }).last().click();
    await page.getByRole('link', { name: 'Harbour', exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });
});

describe('the online store of a location', () => {
  it('is opened with shipping and a promo code, edited and closed', async () => {
    const id = mainLocation(owner.merchant);
    const { page, complaints, goTo } = await atDesk();
    await goTo(`/dashboard/locations/${id}`);
    await page.getByRole('button', { name: 'Open the store' }).click();
    await page.getByLabel('Shipping for each order').fill('6.50');
    await page.getByRole('button', { name: 'Add a code' }).click();
    await page.getByLabel('Code 1', { exact: true }).fill('WELCOME10');
    await page.getByLabel('Percent off with code 1').fill('250');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.getByText('Type a percentage from 0 to 100 for the code WELCOME10.').waitFor();
    await page.getByLabel('Percent off with code 1').fill('10');
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.getByText('WELCOME10: 10 % off').waitFor();
    const { store } = (await owner.call('GET', `/api/dashboard/stores/${id}`)).body;
    expect(store).toMatchObject({ page_path: `/store/${id}`, shipping_money: { amount: 650 } });
    expect(await page.getByRole('link', { name: `/store/${id}` }).getAttribute('href')).toBe(`/store/${id}`);
    expect((await server.call('GET', `/store/${id}`)).status).toBe(200);
    await page.getByRole('button', { name: 'Edit the store' }).click();
    await page.getByRole('switch', { name: 'The page is open' }).click();
    await page.getByRole('button', { name: 'Remove code 1' }).click();
    await save(page).click();
    await page.getByText('None while the store is closed').waitFor();
    expect((await server.call('GET', `/store/${id}`)).status).toBe(404);
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });
});

describe('the business', () => {
  it('is renamed, and the shell shows it', async () => {
    const { page, complaints, goTo } = await atDesk();
    await goTo('/dashboard/locations');
    await page.getByRole('button', { name: 'Edit the business' }).click();
    await page.getByRole('textbox', { name: 'Name of the business' }).fill('Juniper & Sons');
    await expectAccessible(page);
    await save(page).click();
    await page.getByRole('complementary').getByText('Juniper & Sons').waitFor();
    expect(complaints).toEqual([]);
  });
});

describe('a register', () => {
  it('is paired by the code that it shows, renamed and unpaired', async () => {
    const { page, complaints, goTo } = await atDesk();
    const register = (await server.call('POST', '/api/register/pairing-codes')).body;
    await goTo('/dashboard/devices');
    await page.getByRole('button', { name: 'Pair a device' }).click();
    await page.getByRole('textbox', { name: 'Code on the register' }).fill('12');
    await page.getByRole('textbox', { name: 'Name' }).fill('Front counter');
    await page
      .getByRole('textbox', { name: 'Code on the register' })
      .fill(register.code === '000000' ? '111111' : '000000');
    await page.getByRole('button', { name: 'Pair', exact: true }).click();
    await page.getByText('No register shows this code.').waitFor();
    await expectAccessible(page);
    await page.getByRole('textbox', { name: 'Code on the register' }).fill(register.code);
    await page.getByRole('button', { name: 'Pair', exact: true }).click();
    await page.getByText('Now answer on the register').waitFor();
    await expectAccessible(page);
    expect(await page.getByRole('cell', { name: 'Front counter', exact: true }).count()).toBe(0);
    const body = { device_token: register.device_token, accept: true };
    await server.call('POST', '/api/register/pairing-codes/answer', { body });
    await page.getByRole('cell', { name: 'Front counter', exact: true }).waitFor();
    await page.getByText('Now answer on the register').waitFor({ state: 'detached' });
    const device = await server.call('GET', '/api/register/device', { token: register.device_token });
    expect(device.body.name).toBe('Front counter');
    await page.getByRole('button', { name: 'Actions for Front counter' }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Bar');
    await page.getByRole('button', { name: 'Rename', exact: true }).click();
    await page.getByRole('cell', { name: 'Bar', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Actions for Bar' }).click();
    await page.getByRole('menuitem', { name: 'Unpair' }).click();
    await page.getByRole('button', { name: 'Unpair', exact: true }).click();
    await untilShown(page, 'empty');
    expect((await server.call('GET', '/api/register/device', { token: register.device_token })).status).toBe(401);
    expect(complaints.filter((text) => !text.includes('400'))).toEqual([]);
  });
});

describe('a personal token', () => {
  it('is created with chosen permissions, shown once, and revoked', async () => {
    const { page, complaints, goTo } = await atDesk();
    await goTo('/dashboard/developers?tab=tokens');
    await page.getByRole('button', { name: 'Create a token' }).click();
    await page.getByRole('textbox', { name: 'Label' }).fill('Bookkeeping');
    await page.getByRole('checkbox', { name: 'See your payments and refunds' }).check();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { name: 'The personal token' }).waitFor();
    const token = (await page.locator('pre').first().textContent()) ?? '';
    expect((await server.call('GET', '/v2/payments', { token })).status).toBe(200);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('cell', { name: 'Bookkeeping', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Actions for Bookkeeping' }).click();
    await page.getByRole('menuitem', { name: 'Revoke' }).click();
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByRole('cell', { name: 'Revoked' }).waitFor();
    expect((await server.call('GET', '/v2/payments', { token })).status).toBe(401);
    expect(complaints).toEqual([]);
  });
});

describe('a webhook subscription of a program', () => {
  const listSubscriptions = async () =>
    (await owner.call('GET', '/api/dashboard/webhook-subscriptions')).body.subscriptions;

  it('is shown with its maker, tested, turned off, given a new key, and deleted', async () => {
    const { page, complaints, goTo } = await atDesk();
    await subscribe(server, owner.merchant, `${server.baseUrl}/nobody`, { name: 'Bookkeeping' });
    await goTo('/dashboard/developers?tab=subscriptions');
    await page.getByRole('cell', { name: /^Personal token: / }).waitFor();
    await expectAccessible(page);
    const choose = async (name: string) => {
      await page.getByRole('button', { name: 'Actions for Bookkeeping' }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    await choose('Send a test');
    await page.getByText('The address responded with 404').waitFor();
    await choose('Turn off');
    await page.getByRole('cell', { name: 'Off', exact: true }).waitFor();
    const [before] = await listSubscriptions();
    await choose('Replace the key');
    await page.getByRole('button', { name: 'Replace', exact: true }).click();
    await page.getByText('The key is replaced').waitFor();
    expect((await listSubscriptions())[0].signature_key).not.toBe(before.signature_key);
    await choose('Delete');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await untilShown(page, 'empty');
    expect(await listSubscriptions()).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
