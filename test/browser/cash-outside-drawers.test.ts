/** A sale that was dated back to before its drawer was opened, as the owner finds it: to be reviewed, and its cash in no drawer. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { changeClock } from '../support/clock.js';
import type { TestOwner } from '../support/dashboard.js';
import { startPageServer } from '../support/page-server.js';
import { openBusiness, openShift } from '../support/people.js';
import { backdateSignIns, sendLate } from '../support/queue.js';
import { cash, item, sell } from '../support/register-sales.js';
import type { TestServer } from '../support/server.js';
import { asPhone, expectAccessible, expectNoSidewaysScroll, shareVisit, untilShown, visit } from './dashboard-visit.js';

/** Set to look at the pages. */
const PICTURES = process.env['TILLHOUSE_TEST_PICTURES'];

const OPENED = '2020-02-26T09:00:00Z';
const NOW = '2020-02-26T12:00:00Z';

let server: TestServer;
let owner: TestOwner;
let shiftId: string;

beforeAll(async () => {
  server = await startPageServer();
  const role = { is_owner: true };
  const locations = [{ name: 'Market', timezone: 'America/New_York' }];
  const business = await openBusiness(server, { locations, clock: { now: OPENED, frozen: true } }, { role });
  const till = business.register;
  owner = business.owner;
  shiftId = (await openShift(till, 10_000)).id;
  await changeClock(server, owner.merchant.id, { now: NOW });
  await backdateSignIns(server, till.employeeId, 24 * 3_600_000);
  await sell(till, { itemizations: [item(450)], tenders: [cash()] });
  const body = { itemizations: [item(7777)], tenders: [cash()] };
  await sendLate(till, NOW, 'ringUpSale', { occurred_at: '2020-02-26T08:00:00Z', body });
});
afterAll(() => server.stop());

const visitOnce = shareVisit((browser) => visit(browser, server, owner.session));

it('is to be reviewed, beside the X report, and in the list of cash in no drawer, on a desktop and on a phone', async () => {
  const { page, complaints, goTo } = await visitOnce();
  const look = async (what: string): Promise<void> => {
    const shoot = async (device: string) => {
      if (PICTURES) await page.screenshot({ path: join(PICTURES, `outside-${what}-${device}.png`), fullPage: true });
    };
    await shoot('desktop');
    await expectAccessible(page);
    await asPhone(page, async () => {
      await shoot('phone');
      await expectAccessible(page, ['color-contrast', 'target-size']);
      await expectNoSidewaysScroll(page);
    });
  };
  await goTo('/dashboard/flagged');
  await page.getByText('It is dated before something that this register had sent already.').waitFor();
  await goTo('/dashboard/cash-drawers');
  await untilShown(page, 'full');
  await page.getByText('Cash in no drawer: $77.77').waitFor();
  await look('drawers');
  await page.getByRole('link', { name: 'Show what it was for' }).click();
  await page.getByRole('heading', { name: 'Cash in no drawer', level: 1 }).waitFor();
  await untilShown(page, 'full');
  expect(await page.getByRole('link', { name: 'Sale', exact: true }).count()).toBe(1);
  await look('list');
  await page.getByRole('link', { name: 'Sale', exact: true }).click();
  await page.getByText('This sale needs review').waitFor();
  await goTo(`/dashboard/cash-drawers/${shiftId}`);
  await page.getByText('Taken in no drawer (1)').waitFor();
  await page.getByText('Cash in no drawer is not in the sums above.').waitFor();
  await look('report');
  await goTo('/dashboard/cash-drawers?from=2020-02-27');
  await page.getByText('No shifts match').waitFor();
  expect(await page.getByText('Cash in no drawer').count()).toBe(0);
  expect(complaints).toEqual([]);
});
