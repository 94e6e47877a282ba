/** The receipt page in a real browser: light, dark, on a phone and on paper of 80 mm. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openBusiness } from '../support/people.js';
import { PNG_IN_BASE64 } from '../support/pictures.js';
import { RealBrowser } from '../support/real-browser.js';
import { card, cash, item, sell } from '../support/register-sales.js';
import { startTestServer, type TestServer } from '../support/server.js';
import {
  asPhone,
  DESKTOP,
  expectAccessible,
  expectNoSidewaysScroll,
  PHONE,
  type Visit,
  visit,
} from './dashboard-visit.js';

let server: TestServer;
let browser: RealBrowser;
let path: string;

beforeAll(async () => {
  [server, browser] = [await startTestServer(), await RealBrowser.open()];
  const role = { permissions: ['REGISTER_ISSUE_REFUNDS'] };
  const business = { business_name: 'Bean & Leaf', locations: [{ name: 'Market Hall', timezone: 'Europe/Oslo' }] };
  const { owner, register } = await openBusiness(server, { ...business, currency: 'NOK', country: 'NO' }, { role });
  const [id] = owner.merchant.locationIds;
  const { body } = await owner.call('GET', `/api/dashboard/locations/${id}`);
  const picture = await owner.call('POST', '/api/dashboard/pictures', { body: { content: PNG_IN_BASE64 } });
  const edited = await owner.call('PUT', `/api/dashboard/locations/${id}`, {
    body: {
      ...{ name: 'Market Hall', timezone: 'Europe/Oslo', status: 'ACTIVE', version: body.version },
      picture_id: picture.body.picture.id,
      phone_number: '+47 55 00 00 00',
      address: { address_line_1: 'Strandgaten 3', postal_code: '5013', locality: 'Bergen' },
      receipt_text: 'Thank you, and welcome back.\nReturns within 30 days.',
    },
  });
  expect(edited.status, edited.text).toBe(200);
  const sale = await sell(register, {
    itemizations: [
      item(4200, {
        name: 'Flat white',
        quantity: '2',
        modifiers: [{ name: 'Oat milk', price_money: { amount: 500 } }],
      }),
      item(5900, { name: 'Cinnamon bun with a very long name that needs a second line', item_variation_name: 'Large' }),
      item(12_900, { name: 'House blend', quantity: '0.5', notes: 'Ground for a filter' }),
    ],
    discounts: [{ name: 'Regulars', rate: '0.1' }],
    taxes: [{ name: 'VAT', rate: '0.15', inclusion_type: 'INCLUSIVE' }],
    tenders: [card(10_000, { tip_money: { amount: 1500 } }), cash(undefined, { tendered_money: { amount: 20_000 } })],
  });
  const refund = { payment_id: sale.tenders[1]?.id, type: 'PARTIAL', reason: 'Cold', refunded_money: { amount: 2000 } };
  expect((await register.write('/api/register/refunds', refund)).status).toBe(200);
  path = `/receipts/${sale.payment_id}?merchant=${owner.merchant.id}`;
});
afterAll(() => server.stop());
afterEach(() => browser.close());

/** Set to look at the pages. */
const PICTURES = process.env['TILLHOUSE_TEST_PICTURES'];

describe('the receipt page', () => {
  async function openReceipt(options: Parameters<typeof visit>[3]): Promise<Visit> {
    const visited = await visit(browser, server, undefined, options);
    const { page } = visited;
    await visited.open(path);
    await page.getByRole('heading', { name: 'Bean & Leaf' }).waitFor();
    expect(await page.getByRole('img', { name: 'QR code of this receipt' }).count()).toBe(1);
    expect(await page.locator('.logo').evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBeGreaterThan(
      0,
    );
    return visited;
  }

  async function shoot(page: Page, name: string): Promise<void> {
    if (PICTURES) await page.screenshot({ path: join(PICTURES, `receipt-${name}.png`), fullPage: true });
  }

  it('can be read by everybody: in light, in dark, and on a phone', async () => {
    const { page, complaints } = await openReceipt(DESKTOP);
    await shoot(page, 'light');
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await shoot(page, 'dark');
    await expectAccessible(page);
    await asPhone(page, async () => {
      await shoot(page, 'phone');
      await expectAccessible(page);
      await expectNoSidewaysScroll(page);
    });
    expect(complaints).toEqual([]);
  });

  it('can be read by everybody: without scripts', async () => {
    const { page, complaints } = await openReceipt({ ...DESKTOP, javaScriptEnabled: false });
    await shoot(page, 'without-scripts');
    expect(complaints).toEqual([]);
  });

  it('fits on paper of 80 mm', async () => {
    const { page, open } = await visit(browser, server, undefined, { viewport: { width: 302, height: 900 } });
    await open(path);
    await page.emulateMedia({ media: 'print' });
    await expectNoSidewaysScroll(page);
    await shoot(page, 'print');
    const pdf = await page.pdf({ width: '80mm', height: '297mm' });
    expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
  });

  it('says what to do if the address is wrong', async () => {
    const { page, open } = await visit(browser, server, undefined, PHONE);
    await open('/receipts/nothing');
    await page.getByRole('heading', { name: 'There is no receipt at this address' }).waitFor();
    await shoot(page, 'missing');
    await expectAccessible(page);
  });
});
