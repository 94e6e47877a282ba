/** Team, timecards, payouts and cash drawers in a real browser: what the owner does there, and how the pages look without content. */
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOwner, type TestOwner } from '../support/dashboard.js';
import { makeShift } from '../support/drawers.js';
import { startPageServer } from '../support/page-server.js';
import { pay } from '../support/payments.js';
import type { TestServer } from '../support/server.js';
import { fail, hold, linkAccount, made, setClock } from '../support/settlements.js';
import {
  asPhone,
  expectAccessible,
  expectNoSidewaysScroll,
  PATIENCE_MS,
  shareVisit,
  untilShown,
  visit,
} from './dashboard-visit.js';

/** Wednesday, 10:00 in New York. */
const NOW = '2026-03-11T14:00:00Z';

let server: TestServer;
/** The business has nothing at first, and each test adds to it. */
let newcomer: TestOwner;

beforeAll(async () => {
  server = await startPageServer();
  newcomer = await newOwner();
});
afterAll(() => server.stop());

function newOwner(): Promise<TestOwner> {
  return createOwner(server, {
    locations: [{ name: 'Counter', timezone: 'America/New_York' }],
    clock: { now: NOW, frozen: true },
  });
}

/** Far away from the business. */
const visitNewcomer = shareVisit((own) => visit(own, server, newcomer.session, { timezoneId: 'Asia/Tokyo' }));

async function employ(owner: TestOwner, first_name: string, last_name: string): Promise<string> {
  const body = { first_name, last_name };
  return made(await owner.call('POST', '/api/dashboard/employees', { body })).employee.id;
}

async function work(
  owner: TestOwner,
  employee_id: string,
  clockin_time: string,
  clockout_time?: string,
): Promise<string> {
  const [location = ''] = owner.merchant.locationIds;
  const body = { employee_id, clockin_time, clockout_time, clockin_location_id: location };
  return made(await owner.call('POST', '/api/dashboard/timecards', { body })).timecard.id;
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });

const choice = (within: Page | Locator, name: string) => within.getByRole('combobox', { name, exact: true });

/** The lines, without the mark at the beginning. */
async function readCsv(page: Page): Promise<string[]> {
  const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'CSV').click()]);
  return (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
}

const PAGES = [
  '/dashboard/team',
  '/dashboard/team?tab=roles',
  '/dashboard/timecards',
  '/dashboard/timecards?tab=list',
  '/dashboard/timecards?tab=hours',
  '/dashboard/payouts',
  '/dashboard/payouts?tab=disputes',
  '/dashboard/cash-drawers',
] as const;

describe('a business with nothing at all', () => {
  it('is told on each page what to do first', async () => {
    const { page, complaints, goTo } = await visitNewcomer();
    for (const path of PAGES) {
      await goTo(path);
      await untilShown(page, 'empty');
      const text = (await page.locator('[data-state="empty"]').first().textContent()) ?? '';
      expect([path, text.length > 60]).toEqual([path, true]);
    }
    expect(complaints).toEqual([]);
  });
});

describe('the team', () => {
  it('gets a role and an employee, who is edited in two tabs at once', async () => {
    const { page, complaints, goTo } = await visitNewcomer();
    await goTo('/dashboard/team?tab=roles');
    await button(page, 'Create a role').first().click();
    await page.getByLabel('Name').fill('Shift lead');
    await page.getByLabel('Refund sales').check();
    await page.getByLabel('See past sales').check();
    await expectAccessible(page);
    await button(page, 'Create').click();
    await page.getByRole('cell', { name: 'See past sales, refund sales' }).waitFor();

    await page.getByRole('tab', { name: 'Employees' }).click();
    await button(page, 'Add an employee').first().click();
    await page.getByLabel('First name').fill('Ada');
    await page.getByLabel('Last name').fill('Byron');
    await page.getByLabel('Phone').fill('+1 (206) 555-0100');
    await choice(page.getByRole('dialog'), 'Role').click();
    await page.getByRole('option', { name: 'Shift lead' }).click();
    await expectAccessible(page);
    await button(page, 'Add').click();
    await page.getByRole('link', { name: 'Ada Byron' }).click();
    await page.getByRole('heading', { name: 'Role: Shift lead' }).waitFor();
    await page.getByText('Not set', { exact: true }).waitFor();
    await page.getByText('+12065550100').waitFor();
    await expectAccessible(page);

    // Two tabs open the same form.
    const other = await page.context().newPage();
    await other.goto(page.url());
    for (const tab of [page, other]) await button(tab, 'Edit').click();
    await page.getByLabel('Last name').fill('Lovelace');
    await other.getByLabel('Last name').fill('King');
    await other.getByLabel('Email').fill('ada@example.com');
    await button(other, 'Save').click();
    await other.getByRole('heading', { name: 'Ada King', exact: true }).waitFor();
    await button(page, 'Save').click();
    await page.getByText('Somebody changed this meanwhile.').waitFor();
    await page.getByText('Last name: Byron is now King. Yours is still in the field.').waitFor();
    await page.getByText('Email: empty is now ada@example.com.').waitFor();
    expect(await page.getByLabel('Last name').inputValue()).toBe('Lovelace');
    expect(await page.getByLabel('Email').inputValue()).toBe('ada@example.com');
    await expectAccessible(page);
    const [stored] = made(await newcomer.call('GET', '/api/dashboard/employees')).employees;
    expect(stored).toMatchObject({ last_name: 'King', email: 'ada@example.com' });
    await button(page, 'Use theirs').click();
    expect(await page.getByLabel('Last name').inputValue()).toBe('King');
    await page.getByLabel('Last name').fill('Lovelace');
    await button(page, 'Save').click();
    await page.getByRole('heading', { name: 'Ada Lovelace', exact: true }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const [saved] = made(await newcomer.call('GET', '/api/dashboard/employees')).employees;
    expect(saved).toMatchObject({ last_name: 'Lovelace', email: 'ada@example.com', phone_number: '+12065550100' });

    await other.close();

    // A wrong value is refused at its field, and the role cannot be deleted while somebody has it.
    await button(page, 'Edit').click();
    await page.getByLabel('Phone').fill('5550100');
    await button(page, 'Save').click();
    await page.getByRole('dialog').getByText('phone_number must match').waitFor();
    await button(page, 'Cancel').click();
    await goTo('/dashboard/team?tab=roles');
    await page.getByRole('button', { name: 'Actions for Shift lead' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Delete' }).count()).toBe(0);
    expect(complaints.filter((text) => !/status of (?:400|409)/.test(text))).toEqual([]);
  });
});

describe('timecards', () => {
  it('are a week, a list, and hours; an edit shows in the history', async () => {
    const [ada, ben] = [await employ(newcomer, 'Ada', 'Byron'), await employ(newcomer, 'Ben', 'Zee')];
    await work(newcomer, ada, '2026-03-09T13:00:00Z', '2026-03-09T20:45:00Z'); // Monday, 9:00 to 16:45
    await work(newcomer, ada, '2026-03-11T02:00:00Z', '2026-03-11T06:00:00Z'); // Tuesday 22:00 to Wednesday 2:00
    await work(newcomer, ben, '2026-03-04T14:00:00Z', '2026-03-04T15:30:00Z'); // the week before
    const { page, complaints, goTo } = await visitNewcomer();
    await goTo('/dashboard/timecards');
    await untilShown(page, 'full');
    const cells = async (name: string) => page.getByRole('row', { name }).getByRole('cell').allTextContents();
    await expect
      .poll(() => cells('Ada Byron'), { timeout: PATIENCE_MS })
      .toEqual(['7:45', '2:00', '2:00', '', '', '', '', '11:45']);
    await expect.poll(() => cells('Ben Zee'), { timeout: PATIENCE_MS }).toEqual(['', '', '', '', '', '', '', '']);
    const week = await readCsv(page);
    expect(week[1]).toBe('Ada Byron,7.75,2.00,2.00,0.00,0.00,0.00,0.00,11.75');
    await button(page, 'The week before').click();
    await page.getByRole('row', { name: 'Ben Zee' }).getByText('1:30').first().waitFor();
    await button(page, 'This week').click();

    await page.getByRole('row', { name: 'Ada Byron' }).getByRole('link', { name: '7:45' }).click();
    await page.getByRole('cell', { name: '7 h 45' }).waitFor();
    await page.getByRole('link', { name: 'Ada Byron' }).click();
    await page.getByText('Added in the dashboard').waitFor();
    await button(page, 'Edit times').click();
    expect(await page.getByLabel('Clocked out').inputValue()).toBe('2026-03-09T16:45');
    await page.getByLabel('Clocked out').fill('2026-03-09T17:00');
    await button(page, 'Save').click();
    await page.getByText('Changed in the dashboard').waitFor();
    await page.getByText(/Out .*04:45.* → .*05:00/).waitFor();
    await expectAccessible(page);

    await goTo('/dashboard/timecards?tab=hours');
    await page.getByRole('cell', { name: '12 h 00' }).waitFor();
    expect(await readCsv(page)).toEqual([
      'Employee,External id,Days,Hours,Minutes',
      'Ada Byron,,3,12.00,720',
      'Ben Zee,,1,1.50,90',
    ]);
    await choice(page, 'Range').click();
    await page.getByRole('option', { name: 'Last week' }).click();
    await page.getByRole('cell', { name: 'Ada Byron' }).waitFor({ state: 'detached' });
    await page.getByRole('cell', { name: '1 h 30' }).waitFor();
    expect(await page.getByRole('cell', { name: 'Ada Byron' }).count()).toBe(0);

    await button(page, 'Add a timecard').click();
    await choice(page.getByRole('dialog'), 'Employee').click();
    await page.getByRole('option', { name: 'Ben Zee' }).click();
    await page.getByLabel('Clocked in').fill('2026-03-05T08:00');
    await page.getByLabel('Clocked out').fill('2026-03-05T07:00');
    await button(page, 'Add').click();
    await page.getByText('clockout_time is before clockin_time.').waitFor();
    await page.getByLabel('Clocked out').fill('2026-03-05T09:00');
    await button(page, 'Add').click();
    await page.getByRole('cell', { name: '2 h 30' }).waitFor();
    expect(complaints.filter((text) => !/status of (?:400|409)/.test(text))).toEqual([]);
  });
});

/** A business with something on every page, and names that nobody should have. */
async function fill(owner: TestOwner): Promise<{ failed: string; employee: string; timecard: string }> {
  const long = await employ(owner, 'W'.repeat(250), '語'.repeat(250));
  const employee = await employ(owner, '<script>alert(1)</script>', '<img src=x>');
  const timecard = await work(owner, employee, '2026-03-09T13:00:00Z', '2026-03-09T20:45:00Z');
  await work(owner, long, '2026-03-11T13:00:00Z');
  const role = { name: `Lead ${'R'.repeat(200)}`, permissions: ['REGISTER_ISSUE_REFUNDS'] };
  made(await owner.call('POST', '/api/dashboard/roles', { body: role }));
  await makeShift(server, owner.merchant, { at: '2026-03-10T15:00:00Z', closed: 9_000 });
  await linkAccount(owner);
  await pay(server, owner.merchant, { amount_money: { amount: 5_000, currency: 'USD' } });
  await setClock(server, owner.merchant, '2026-03-12T14:00:00Z');
  const [settlement] = made(await owner.call('GET', '/api/dashboard/settlements')).settlements;
  made(await fail(server, owner.merchant, settlement.id));
  const payment = await pay(server, owner.merchant, { amount_money: { amount: 1_234, currency: 'USD' } });
  made(await hold(server, owner.merchant, payment.id, 234));
  return { failed: settlement.id, employee, timecard };
}

describe('payouts and cash drawers', () => {
  let owner: TestOwner;
  let filled: Awaited<ReturnType<typeof fill>>;
  const visitOnce = shareVisit((own) => visit(own, server, owner.session));

  beforeAll(async () => {
    owner = await newOwner();
    filled = await fill(owner);
  });

  it('show what is unsettled, what failed and why, disputes, and what a drawer is short', async () => {
    const { failed } = filled;
    const { page, complaints, goTo } = await visitOnce();
    await goTo('/dashboard/payouts');
    await untilShown(page, 'full');
    await page.getByText('Not settled yet').waitFor();
    await page.getByText('−$2.34').first().waitFor();
    await page.getByText('Returned payouts', { exact: false }).first().waitFor();
    await expectAccessible(page);
    await page.getByRole('tab', { name: 'Disputes' }).click();
    await page.getByRole('cell', { name: 'Held back' }).waitFor();
    expect(await page.locator('tbody a[href^="/dashboard/sales/"]').count()).toBe(1);
    await goTo(`/dashboard/payouts/${failed}`);
    await page.getByText('The bank did not accept this settlement').waitFor();
    await page.getByText('the next settlement of this location pays it again').waitFor();
    await expectAccessible(page);
    await goTo('/dashboard');
    await page.getByRole('heading', { name: 'Next settlement' }).waitFor();
    await goTo('/dashboard/cash-drawers');
    await page.getByText(/−\$\d+\.\d\d short/).waitFor();
    await goTo('/dashboard/cash-drawers?state=OPEN');
    await page.getByText('No shifts match').waitFor();
    expect(complaints).toEqual([]);
  });

  it('fit a phone in dark, like the other pages here, whatever the names are', async () => {
    const { failed, employee, timecard } = filled;
    const { page, complaints, goTo } = await visitOnce();
    const details = [`/dashboard/team/${employee}`, `/dashboard/timecards/${timecard}`, `/dashboard/payouts/${failed}`];
    await asPhone(page, async () => {
      for (const path of [...PAGES, ...details]) {
        await goTo(path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        if (!details.includes(path)) await untilShown(page, 'full');
        await expectNoSidewaysScroll(page);
        // dashboard.test.ts checks the contrast of the others, which does not depend on the names.
        const isElsewhere = /^\/dashboard\/(?:[a-z-]+$|payouts\/)/.test(path);
        if (!isElsewhere) await expectAccessible(page, ['color-contrast', 'target-size']);
      }
    });
    expect(await page.locator('main img[src="x"], main script').count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
