/** What registers did offline, in a real browser: from Home to the sale, until it is reviewed; and the setting for cards. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pollUntil } from '../support/clock.js';
import type { TestOwner } from '../support/dashboard.js';
import { startPageServer } from '../support/page-server.js';
import { openBusiness, openShift } from '../support/people.js';
import { backdateSignIns, sendLate } from '../support/queue.js';
import { cash, item } from '../support/register-sales.js';
import type { TestServer } from '../support/server.js';
import { asPhone, expectAccessible, expectNoSidewaysScroll, shareVisit, untilShown, visit } from './dashboard-visit.js';

let server: TestServer;
let owner: TestOwner;

/** Set to look at the pages. */
const PICTURES = process.env['TILLHOUSE_TEST_PICTURES'];

beforeAll(async () => {
  server = await startPageServer();
  await open();
});
afterAll(() => server.stop());

const visitOnce = shareVisit((browser) => visit(browser, server, owner.session));

/** A sale with a discount that was not allowed, and a drawer that was opened without the permission. */
async function open(): Promise<void> {
  const business = await openBusiness(server, {}, { role: { permissions: [] } });
  owner = business.owner;
  const till = business.register;
  await backdateSignIns(server, till.employeeId, 7_200_000);
  await owner.call('PUT', '/api/dashboard/register-settings', { body: { restrict_discounts: true } });
  const body = { itemizations: [item(1000)], tenders: [cash()], discounts: [{ name: 'Staff', rate: '0.5' }] };
  const now = new Date();
  const occurred_at = new Date(now.getTime() - 600_000).toISOString();
  const sold = await sendLate(till, now.toISOString(), 'ringUpSale', { occurred_at, body });
  const { id: shift_id, opened_at } = await openShift(till, 1000);
  const opened = await sendLate(till, opened_at, 'noSale', { occurred_at: opened_at, body: { shift_id } });
  expect([sold.status, opened.status]).toEqual(['ACCEPTED', 'ACCEPTED']);
}

describe('what registers did offline', () => {
  it('leads from Home to the sale, until it is reviewed, on a desktop and on a phone', async () => {
    const { page, complaints, goTo } = await visitOnce();
    const shoot = async (what: string) => {
      if (PICTURES) await page.screenshot({ path: join(PICTURES, `flags-${what}.png`) });
    };
    const look = async (what: string): Promise<void> => {
      await shoot(`${what}-desktop`);
      await expectAccessible(page);
      await asPhone(page, async () => {
        await shoot(`${what}-phone`);
        await expectAccessible(page, ['color-contrast', 'target-size']);
        await expectNoSidewaysScroll(page);
      });
    };
    await goTo('/dashboard');
    await page.getByText('1 sale and 1 other entry need review').waitFor();
    await shoot('home');
    await page.getByRole('link', { name: 'Review them' }).click();
    await page.getByRole('heading', { name: 'Needs review' }).waitFor();
    await untilShown(page, 'full');
    await look('list');
    await page.getByRole('link', { name: 'Sale', exact: true }).click();
    await page.getByText('This sale needs review').waitFor();
    await page.getByText('The discount Staff is restricted').waitFor();
    await look('sale');
    await page.getByRole('button', { name: 'Mark reviewed' }).click();
    await page.getByText('Reviewed on').waitFor();
    await goTo('/dashboard/sales?flagged=yes');
    await page.getByText('No sale matches').waitFor();
    await goTo('/dashboard/flagged');
    await page.getByRole('button', { name: /Mark reviewed: Drawer opened/ }).click();
    await page.getByText('Nothing needs review').waitFor();
    expect(complaints).toEqual([]);
  });
});

describe('the setting for offline cards', () => {
  it('needs a limit, and is shown to registers', async () => {
    const { page, goTo } = await visitOnce();
    await goTo('/dashboard/locations');
    await page.getByRole('switch', { name: 'Take cards while offline' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Type an amount, such as 50.').waitFor();
    await page.getByLabel('At most, for each card').fill('75.50');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Registers keep cards while they are offline').waitFor();
    if (PICTURES) await page.screenshot({ path: join(PICTURES, 'flags-settings.png'), fullPage: true });
    await expectAccessible(page);
    const { body } = await owner.call('GET', '/api/dashboard/register-settings');
    expect(body.offline_cards).toEqual({ allowed: true, limit_money: { amount: 7550, currency: 'USD' } });
    await page.getByRole('switch', { name: 'Take cards while offline' }).click();
    await page.getByText('Registers take no cards while they are offline').waitFor();
  });

  it('says that it is not for the register page if a real processor charges the cards', async () => {
    const { sql } = server.database;
    await sql`update merchants set processor_id = 'adapter' where merchant_id = ${owner.merchant.id}`;
    const settings = () => owner.call('GET', '/api/dashboard/register-settings');
    await pollUntil(settings, ({ body }) => !body.page_keeps_cards, 30_000);
    const { page, open: load } = await visitOnce();
    await load('/dashboard/locations'); // the page gets no notice of this change
    await page.getByText('The register page of this server takes no cards while it is offline').waitFor();
    await expectAccessible(page);
  });
});
