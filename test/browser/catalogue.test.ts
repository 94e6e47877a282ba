/** An owner sets up the catalogue in a real browser, alone and together with somebody else. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createOwner, type TestOwner } from '../support/dashboard.js';
import { startPageServer } from '../support/page-server.js';
import { makePng } from '../support/pictures.js';
import { RealBrowser } from '../support/real-browser.js';
import type { TestServer } from '../support/server.js';
import {
  asPhone,
  expectAccessible,
  expectNoSidewaysScroll,
  shareVisit,
  untilShown,
  type Visit,
  visit,
} from './dashboard-visit.js';

const CATALOGUE = '/api/dashboard/catalogue';

let server: TestServer;
let browser: RealBrowser;
let owner: TestOwner;

beforeAll(async () => {
  [server, browser] = [await startPageServer(), await RealBrowser.open()];
  owner = await createOwner(server, { locations: [{ name: 'Counter' }, { name: 'Market' }] });
});
afterAll(() => server.stop());
afterEach(() => browser.close());

/** A conflict is a response with 409, which the browser logs. */
const EXPECTED = /status of 409/;

/** The catalogue is empty at first. Each test adds other items. */
const visitOnce = shareVisit((own) => visit(own, server, owner.session));

const complaintsOf = ({ complaints }: Visit) => complaints.filter((text) => !EXPECTED.test(text));

const dialog = (page: Page) => page.getByRole('dialog');

/** A text field by its label, which ends in an asterisk if the field is required. */
const field = (within: Page | Locator, name: string) => within.getByRole('textbox', { name, exact: true });

/** Fills in the open dialog and waits until the server has accepted it. */
async function submit(page: Page, label: 'Create' | 'Save'): Promise<void> {
  await dialog(page).getByRole('button', { name: label, exact: true }).click();
  await dialog(page).waitFor({ state: 'detached' });
}

async function readCatalogue() {
  return (await owner.call('GET', CATALOGUE)).body;
}

async function findItem(id: string) {
  return (await readCatalogue()).items.find((item: { id: string }) => item.id === id);
}

describe('the catalogue', () => {
  it('is set up from nothing: a tax, a category, modifiers, a restricted discount, an item with two variations and a picture', async () => {
    const visited = await visitOnce();
    const { page } = visited;
    await visited.goTo('/dashboard/catalogue');
    await untilShown(page, 'empty');

    await page.getByRole('tab', { name: 'Taxes' }).click();
    await page.getByRole('button', { name: 'New tax' }).click();
    await field(dialog(page), 'Name').fill('Sales tax');
    await field(dialog(page), 'Percentage').fill('8,5');
    await expectAccessible(page);
    await submit(page, 'Create');
    await page.getByRole('cell', { name: '8.5 %' }).waitFor();

    await page.getByRole('tab', { name: 'Categories' }).click();
    await page.getByRole('button', { name: 'New category' }).click();
    await field(dialog(page), 'Name').fill('Coffee');
    await submit(page, 'Create');

    await page.getByRole('tab', { name: 'Modifiers' }).click();
    await page.getByRole('button', { name: 'New modifier list' }).click();
    await field(dialog(page), 'Name').fill('Milk');
    await field(dialog(page), 'Option 1').fill('Oat');
    await field(dialog(page), 'Price of option 1').fill('0.75');
    await dialog(page).getByRole('button', { name: 'Add an option' }).click();
    await field(dialog(page), 'Option 2').fill('Whole');
    await submit(page, 'Create');

    await page.getByRole('tab', { name: 'Discounts' }).click();
    await page.getByRole('button', { name: 'New discount' }).click();
    await field(dialog(page), 'Name').fill('Staff meal');
    await field(dialog(page), 'Percentage').fill('50');
    await dialog(page).getByRole('switch', { name: 'Restricted' }).check();
    await submit(page, 'Create');
    await page.getByText('Restricted').waitFor();

    await page.getByRole('tab', { name: 'Items' }).click();
    await page.getByRole('link', { name: 'New item' }).first().click();
    await field(page, 'Name').fill('Flat white');
    await page.getByLabel('Category', { exact: true }).first().click();
    await page.getByRole('option', { name: 'Coffee' }).click();
    await field(page, 'Price').fill('4.5o');
    await page.getByText('Not a price').waitFor();
    await field(page, 'Price').fill('4.50');
    await page.getByRole('button', { name: 'Add a variation' }).click();
    await field(page, 'Variation').nth(1).fill('Large');
    await field(page, 'SKU').nth(1).fill('FW-L');
    await field(page, 'Price').nth(1).fill('5.25');
    const file = { name: 'cup.png', mimeType: 'image/png', buffer: makePng(2000, 20) };
    await page.locator('input[type="file"]').setInputFiles({ ...file, buffer: Buffer.from('<svg/>') });
    await page.getByText('This file is damaged, or is not a picture.').waitFor();
    await page.locator('input[type="file"]').setInputFiles(file);
    await page.getByRole('img', { name: 'Picture: preview' }).waitFor();
    await expectAccessible(page);
    await page.getByLabel('Modifiers', { exact: true }).first().click();
    await page.getByRole('option', { name: 'Milk' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Save item' }).first().click();
    await page.getByRole('link', { name: 'Flat white' }).waitFor();
    await page.getByText('$4.50 – $5.25').waitFor();
    expect(complaintsOf(visited)).toEqual([]);

    const { items, taxes, discounts, categories, modifier_lists } = await readCatalogue();
    expect(items).toMatchObject([
      {
        name: 'Flat white',
        category_id: categories[0].id,
        variations: [
          { name: 'Regular', price_money: { amount: 450 } },
          { name: 'Large', sku: 'FW-L' },
        ],
        modifier_list_ids: [modifier_lists[0].id],
      },
    ]);
    expect(taxes).toMatchObject([{ rate: '0.08500000', applies_to_all: true }]);
    expect(discounts).toMatchObject([{ name: 'Staff meal', rate: '0.50000000', restricted: true }]);
    const picture = await fetch(server.baseUrl + items[0].picture_url);
    // The uploaded picture was wider than any page needs.
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/webp']);
  });

  it('overwrites nothing that somebody else saved in between, and shows it', async () => {
    const variations = [{ name: 'Regular', price_money: { amount: 900 } }];
    const { body } = await owner.call('POST', `${CATALOGUE}/items`, {
      body: { name: 'Loaf', online: false, variations },
    });
    const { id } = body.item;
    const [one, other] = [await visitOnce(), await visit(browser, server, owner.session)];
    for (const each of [one, other]) {
      await each.goTo(`/dashboard/catalogue/items/${id}`);
      await field(each.page, 'Name').waitFor();
    }
    // Typed before the other one saves: otherwise the page would show what is saved now.
    await field(other.page, 'Name').fill('Rye loaf');
    await field(one.page, 'Price').fill('9.50');
    await one.page.getByRole('button', { name: 'Save item' }).first().click();
    await one.page.getByRole('link', { name: 'Loaf' }).waitFor();

    await other.page.getByRole('button', { name: 'Save item' }).first().click();
    await other.page.getByText('Somebody changed this meanwhile').waitFor();
    await other.page.getByText('Variations: Regular 9.00 is now Regular 9.50.').waitFor();
    await expectAccessible(other.page);
    expect(await findItem(id)).toMatchObject({ name: 'Loaf', version: 2 });
    expect(await field(other.page, 'Name').inputValue()).toBe('Rye loaf');

    expect(await field(other.page, 'Price').inputValue()).toBe('9.50');
    await other.page.getByRole('button', { name: 'Save item' }).first().click();
    await other.page.getByRole('link', { name: 'Rye loaf' }).waitFor();
    const saved = { name: 'Rye loaf', version: 3, variations: [{ price_money: { amount: 950 } }] };
    expect(await findItem(id)).toMatchObject(saved);
    expect([complaintsOf(one), complaintsOf(other)]).toEqual([[], []]);
  });

  it('keeps its layout with any name on a phone in dark, finds items, archives and deletes them', async () => {
    const variations = [{ name: 'V'.repeat(255), sku: 'X'.repeat(255), price_money: { amount: 1 } }];
    const ids: string[] = [];
    for (const name of ['<script>alert(1)</script>', 'W'.repeat(255), 'Tea']) {
      const made = await owner.call('POST', `${CATALOGUE}/items`, { body: { name, online: true, variations } });
      expect(made.status).toBe(200);
      ids.push(made.body.item.id);
    }
    const [script = '', , tea = ''] = ids;
    const visited = await visitOnce();
    const { page, goTo } = visited;
    await asPhone(page, async () => {
      await goTo('/dashboard/catalogue');
      await untilShown(page, 'full');
      await page.getByText('<script>alert(1)</script>').waitFor();
      await expectNoSidewaysScroll(page); // colours and targets of these pages: dashboard.test.ts

      await page.getByLabel('Search items').fill('tea');
      await page.getByText('1 row').waitFor();
      expect(new URL(page.url()).searchParams.get('q')).toBe('tea');
      await page.getByRole('button', { name: 'Actions for Tea' }).click();
      await page.getByRole('menuitem', { name: 'Archive' }).click();
      await page.getByRole('heading', { name: 'No item matches' }).waitFor();
      await goTo('/dashboard/catalogue?state=archived');
      await page.getByRole('button', { name: 'Actions for Tea' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await dialog(page).getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('heading', { name: 'No item matches' }).waitFor();
      expect(await findItem(tea)).toBeUndefined();

      await goTo(`/dashboard/catalogue/items/${script}`);
      await field(page, 'Name').waitFor();
      await expectNoSidewaysScroll(page);
    });
    expect(complaintsOf(visited)).toEqual([]);
  });
});
