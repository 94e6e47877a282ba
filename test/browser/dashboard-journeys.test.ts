/** What an owner does in the dashboard, in a real browser: signing in, changing things, and bad days. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hire } from '../contract/business.js';
import { pollUntil } from '../support/clock.js';
import { createOwner, PASSWORD, type TestOwner } from '../support/dashboard.js';
import type { ApiResponse } from '../support/http.js';
import { startPageServer } from '../support/page-server.js';
import type { TestServer } from '../support/server.js';
import {
  asPhone,
  expectAccessible,
  expectNoSidewaysScroll,
  PATIENCE_MS,
  shareVisit,
  untilShown,
  visit,
} from './dashboard-visit.js';

let server: TestServer;
let owner: TestOwner;

beforeAll(async () => {
  server = await startPageServer({ config: { demo: true, demoHistory: false } });
  owner = await createOwner(server, { locations: [{ name: 'Counter', timezone: 'America/New_York' }] });
});
afterAll(() => server.stop());

/** Nobody is signed in there at first. */
const atTheDoor = shareVisit((browser) => visit(browser, server, undefined));

/** The owner is signed in, far away from the business. Each test needs other records. */
const atDesk = shareVisit((browser) => visit(browser, server, owner.session, { timezoneId: 'Asia/Tokyo' }));

/** A request with the session of the page. */
async function callAsPage(
  page: Page,
  method: string,
  path: string,
  body?: Record<string, unknown>,
): Promise<ApiResponse> {
  const cookies = await page.context().cookies(`${server.baseUrl}${path}`);
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  return server.call(method, path, { headers: { cookie }, ...(body && { body }) });
}

async function signIn(page: Page, password: string = PASSWORD): Promise<void> {
  await page.getByLabel('Email').fill(owner.email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });

async function openMenu(page: Page, name: string, item: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

describe('signing in', () => {
  it('opens the page that was asked for, and refuses a wrong password; signing out ends the session', async () => {
    const { page, complaints, goTo } = await atTheDoor();
    await goTo('/dashboard/devices');
    await heading(page, 'Sign in to Tillhouse').waitFor();
    await expectAccessible(page);
    await signIn(page, 'wrong password');
    await page.getByRole('alert').getByText('The email or the password is wrong.').waitFor();
    await signIn(page);
    await heading(page, 'Devices').waitFor();
    expect(new URL(page.url()).pathname).toBe('/dashboard/devices');
    expect(complaints).toEqual([]);

    const [{ name = '', value = '' } = {}] = await page.context().cookies(`${server.baseUrl}/api/dashboard/session`);
    const readSession = () => server.call('GET', '/api/dashboard/session', { headers: { cookie: `${name}=${value}` } });
    expect((await readSession()).status).toBe(200);
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await heading(page, 'Sign in to Tillhouse').waitFor();
    expect((await readSession()).status).toBe(401);
  });

  it('is one click for the demo, from the start address', async () => {
    const { page, complaints, open } = await atTheDoor();
    await asPhone(page, async () => {
      await open('/');
      await page.getByRole('button', { name: 'Enter the demo' }).waitFor();
      await expectAccessible(page);
      await expectNoSidewaysScroll(page);
      await page.getByRole('button', { name: 'Enter the demo' }).click();
      await page.getByText('Juniper & Rye, right now.').waitFor();
    });
    expect(complaints).toEqual([]);
  });
});

describe('a server that does not respond', () => {
  it('is waited for: a bar says so, a form keeps what was typed, and the page goes on', async () => {
    const { page, goTo } = await atDesk();
    await goTo('/dashboard/devices');
    await page.getByRole('button', { name: 'Pair a device' }).first().click();
    await page.getByRole('button', { name: 'The device shows no code' }).click();
    await page.getByLabel('Name').fill('Back counter');
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Pair', exact: true }).click();
    await page.getByText('The server does not respond.').waitFor();
    await page.getByRole('alert').getByText('Nothing that you typed is lost').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Back counter');
    await page.context().setOffline(false);
    await page.getByText('The server does not respond.').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Pair', exact: true }).click();
    await page.getByRole('heading', { name: 'The device token' }).waitFor();
  });

  it('or has no database delays a page, which loads as soon as it can', async () => {
    const { page, goTo } = await atDesk();
    const fault = { status: 503, operation: 'dashboard.listCashDrawerShifts', merchant_id: owner.merchant.id };
    const made = await server.operator('POST', '/api/sandbox/faults', { effect: 'STATUS', ...fault });
    expect(made.status).toBe(200);
    await goTo('/dashboard/cash-drawers'); // nobody was there before, so nothing is shown at once
    await page.getByText('The server does not respond.').waitFor();
    await untilShown(page, 'empty');
  });
});

describe('the team', () => {
  it('gets passcodes, and employees are activated and deactivated', async () => {
    await hire(server, owner.merchant, { first_name: 'Ada', last_name: 'Byron' });
    const { page, complaints, goTo } = await atDesk();
    await goTo('/dashboard/team');
    await openMenu(page, 'Ada Byron', 'Activate');
    const row = page.getByRole('row', { name: /Ada Byron/ });
    await row.getByText('Active', { exact: true }).waitFor();
    await openMenu(page, 'Ada Byron', 'Set passcode');
    await page.getByRole('textbox', { name: 'New passcode' }).fill('2468');
    await page.getByRole('button', { name: 'Set passcode' }).click();
    await page.getByText('Ada Byron has a new passcode').waitFor();
    await openMenu(page, 'Ada Byron', 'Deactivate');
    await row.getByText('Inactive').waitFor();
    expect(complaints).toEqual([]);
  });

  it('may have any name: markup stays text, and 10,000 characters break no layout', async () => {
    await hire(server, owner.merchant, { first_name: '<script>alert(1)</script>', last_name: '<img src=x>' });
    await hire(server, owner.merchant, { first_name: 'W'.repeat(250), last_name: '語'.repeat(250) });
    const { page, complaints, goTo } = await atDesk();
    await asPhone(page, async () => {
      await goTo('/dashboard/team');
      await page.getByText('<script>alert(1)</script> <img src=x>').waitFor();
      await expectNoSidewaysScroll(page);
    });
    expect(await page.locator('main img[src="x"], main script').count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});

describe('timecards', () => {
  async function clockIn(first_name: string, body: Record<string, unknown>): Promise<void> {
    const employee_id = await hire(server, owner.merchant, { first_name, last_name: 'Byron' });
    const [location = ''] = owner.merchant.locationIds;
    const card = { employee_id, clockin_location_id: location, ...body };
    const answer = await server.call('POST', '/v1/me/timecards', { token: owner.merchant.token, body: card });
    expect(answer.status).toBe(200);
  }

  it('are corrected in the time of the location, and deleted', async () => {
    await clockIn('Ben', { clockin_time: '2020-02-25T13:00:00Z', clockout_time: '2020-02-25T21:00:00Z' });
    const { page, complaints, goTo } = await atDesk();
    await goTo('/dashboard/timecards?tab=list');
    await page.getByRole('cell', { name: '8 h 00' }).waitFor();
    await openMenu(page, 'Ben Byron', 'Edit times');
    expect(await page.getByLabel('Clocked in').inputValue()).toBe('2020-02-25T08:00');
    await page.getByLabel('Clocked out').fill('2020-02-25T17:30');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: '9 h 30' }).waitFor();
    const { timecards } = (await callAsPage(page, 'GET', '/api/dashboard/timecards')).body;
    expect(timecards[0]).toMatchObject({ clockin_time: '2020-02-25T13:00:00Z', clockout_time: '2020-02-25T22:30:00Z' });
    await openMenu(page, 'Ben Byron', 'Delete');
    await page.getByText('9 h 30 of Ben Byron').waitFor();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await untilShown(page, 'empty');
    expect(complaints).toEqual([]);
  });

  it('of an employee who forgot to clock out are closed; a time before the clock-in is refused at its field', async () => {
    await clockIn('Eve', { clockin_time: '2020-02-25T13:00:00Z' });
    const { page, goTo } = await atDesk();
    await goTo('/dashboard/timecards?tab=list');
    await openMenu(page, 'Eve Byron', 'Clock out');
    await page.getByLabel('Clocked out').fill('2020-02-25T07:00');
    await page.getByRole('button', { name: 'Clock out' }).click();
    await page.getByText(/clock/i).and(page.locator('[role="alert"], .mantine-InputWrapper-error')).first().waitFor();
    await page.getByLabel('Clocked out').fill('2020-02-25T12:00');
    await page.getByRole('button', { name: 'Clock out' }).click();
    await page.getByRole('cell', { name: '4 h 00' }).waitFor();
  });
});

describe('a table', () => {
  it('is sorted and filtered in the address bar, and exported as a whole', async () => {
    for (const first_name of ['Cleo', '=Bob()', 'Abe'])
      await hire(server, owner.merchant, { first_name, last_name: 'X' });
    const { page, complaints, goTo } = await atDesk();
    await goTo('/dashboard/team');
    await page.getByRole('button', { name: 'Name', exact: true }).click();
    await page.waitForURL(/sort=name/);
    const names = async () =>
      (await page.locator('tbody tr td:first-child p, tbody tr td:first-child').allTextContents()).join('|');
    await expect.poll(names, { timeout: PATIENCE_MS }).toMatch(/Abe X.*Cleo X/s);
    await page.getByRole('button', { name: 'Name', exact: true }).click();
    await page.waitForURL(/sort=-name/);
    await page.reload();
    await expect.poll(names, { timeout: PATIENCE_MS }).toMatch(/Cleo X.*Abe X/s);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ]);
    const text = await readFile(await download.path(), 'utf8');
    expect(download.suggestedFilename()).toBe('employees.csv');
    expect(text.split('\r\n')[0]).toBe('\ufeffName,State,Role,Locations,Email,Since');
    expect(text).toContain("'=Bob() X");
    await goTo('/dashboard/team?status=ACTIVE');
    await untilShown(page, 'empty'); // nobody is active yet
    expect(await page.getByText('Abe X').count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});

// The last ones at this desk: they end its session, and make it old.
describe('a session that ends in the middle of a form', () => {
  it('is opened again above the form, which then goes on with what was typed', async () => {
    const { page, goTo } = await atDesk();
    await goTo('/dashboard/devices');
    await page.getByRole('button', { name: 'Pair a device' }).first().click();
    await page.getByRole('button', { name: 'The device shows no code' }).click();
    await page.getByLabel('Name').fill('Front counter');
    // The session ends when the form is sent. If it ended earlier, another request of the page could be the first to notice.
    let hasEnded = false;
    let sent: Record<string, unknown> = {};
    await page.route('**/api/dashboard/devices', async (route) => {
      if (!hasEnded && route.request().method() === 'POST') {
        hasEnded = true;
        sent = route.request().postDataJSON();
        expect((await callAsPage(page, 'DELETE', '/api/dashboard/session')).status).toBe(200);
      }
      await route.continue();
    });
    await page.getByRole('button', { name: 'Pair', exact: true }).click();
    await page.getByRole('heading', { name: 'Your session has ended' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'The device token' }).waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('cell', { name: 'Front counter', exact: true }).waitFor();
    await page.unroute('**/api/dashboard/devices');
    // Changes made elsewhere arrive again.
    expect((await callAsPage(page, 'POST', '/api/dashboard/devices', { ...sent, name: 'Back counter' })).status).toBe(
      200,
    );
    await page.getByRole('cell', { name: 'Back counter', exact: true }).waitFor();
  });

  it('and one whose password is old asks for it before a key is made', async () => {
    const { page, goTo } = await atDesk();
    await server.database.sql`update sessions set confirmed_at = confirmed_at - interval '1 hour'`;
    await pollUntil(
      () => callAsPage(page, 'POST', '/api/dashboard/devices', {}),
      ({ status }) => status === 403,
      PATIENCE_MS,
    );
    await goTo('/dashboard/developers?tab=keys');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor();
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('heading', { name: 'The publishable key' }).waitFor();
  });
});
