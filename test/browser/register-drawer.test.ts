/** A drawer's day at the register: counted and opened, changed without a sale, reported, ended, and closed with what was counted. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { findBreaches } from '../../src/check/check.js';
import { asPhone, expectAccessible, expectNoSidewaysScroll, visit } from './dashboard-visit.js';
import { addTile, dialog, goTo, openDrawer, payment, sellForCash } from './register-counter.js';
import { PASSCODES, signIn, startWork, workAtOneTablet } from './register-shop.js';

/** Set to look at the pages. */
const PICTURES = process.env['TILLHOUSE_TEST_PICTURES'];

const counter = workAtOneTablet();

const NOTE = 'A buyer left the change, and would not wait';

/** Types how many there are of a note or coin, such as `$20.00`. */
async function count(page: Page, pieces: Readonly<Record<string, number>>): Promise<void> {
  for (const [name, pieceCount] of Object.entries(pieces))
    await page.getByRole('textbox', { name: `How many ${name}` }).fill(String(pieceCount));
}

/** What a report shows beside a label. */
async function line(page: Page, label: string): Promise<string> {
  const text = await dialog(page).getByText(label, { exact: true }).locator('xpath=..').innerText();
  return text.replace(label, '').trim();
}

async function shoot(page: Page, what: string): Promise<void> {
  if (PICTURES) await page.screenshot({ path: join(PICTURES, `drawer-${what}.png`), fullPage: true });
}

/** As it is, and on a phone in dark. */
async function look(page: Page, what: string): Promise<void> {
  await shoot(page, what);
  await expectAccessible(page);
  await asPhone(page, async () => {
    await shoot(page, `${what}-phone`);
    await expectAccessible(page, ['color-contrast', 'target-size']);
    await expectNoSidewaysScroll(page);
  });
}

/** The pixels between the name of a note or coin and the buttons that count it. */
function gapBeside(page: Page, name: string): Promise<number> {
  return page.getByRole('button', { name: `One ${name} less` }).evaluate((button) => {
    const text = document.createRange();
    text.selectNodeContents(button.previousElementSibling as Element);
    return button.getBoundingClientRect().left - text.getBoundingClientRect().right;
  });
}

describe('the drawer of a register', () => {
  it('is opened, changed, reported, ended and closed, and the difference is shown in words and on paper', async () => {
    const { page, tap, press, complaints } = counter.tablet;
    await signIn(page, 'Ada', PASSCODES.ada);
    await goTo(page, 'Drawer');
    await count(page, { '$20.00': 5, '$5.00': 1 });
    await tap('One $5.00 more');
    expect(await gapBeside(page, '$100.00')).toBeGreaterThanOrEqual(8);
    await expectAccessible(page);
    await tap('Open with $110.00');
    await page.getByText('Expected cash').waitFor();
    await expectAccessible(page);

    await goTo(page, 'Sell');
    await addTile(page, 'Espresso');
    await sellForCash(page);
    await goTo(page, 'Drawer');
    await page.getByText('$113.30').waitFor();

    await tap('Paid in');
    await page.keyboard.type('2500');
    await dialog(page).getByLabel('What for').fill('More coins');
    await expectAccessible(page);
    await tap('Put $25.00 in');
    await page.getByText('$138.30').waitFor();
    await tap('Paid out');
    await page.keyboard.type('1000');
    await page.keyboard.press('Enter');
    await page.getByText('$128.30').waitFor();
    await tap('No sale');
    await page.getByText('The drawer was opened without a sale.').waitFor();

    await tap('X report');
    await dialog(page).getByRole('heading', { name: 'X report' }).waitFor();
    await dialog(page).getByText('Expected cash').waitFor();
    expect(await line(page, 'Sales (1)')).toBe('$3.00');
    expect(await line(page, 'Taxes')).toBe('$0.30');
    expect(await line(page, 'Cash (1)')).toBe('$3.30');
    expect(await line(page, 'Surcharges')).toBe('$0.00');
    expect(await line(page, 'Opened with')).toBe('$110.00');
    expect(await line(page, 'Cash sales')).toBe('$3.30');
    expect(await line(page, 'Cash refunds')).toBe('$0.00');
    expect(await line(page, 'Paid in')).toBe('$25.00');
    expect(await line(page, 'Paid out')).toBe('−$10.00');
    expect(await line(page, 'Expected cash')).toBe('$128.30');
    expect(await dialog(page).getByText('Over or short').count()).toBe(0);
    await expectAccessible(page);
    await press('Close');

    await tap('End the shift');
    await dialog(page).getByRole('heading', { name: 'End the shift?' }).waitFor();
    expect(await line(page, 'Opened with')).toBe('$110.00');
    expect(await line(page, 'Expected cash')).toBe('$128.30');
    await expectAccessible(page);
    await tap('Go on selling');
    await tap('End the shift');
    await tap('End it');
    await page.getByRole('heading', { name: 'Count the cash to close the drawer' }).waitFor();
    const difference = page.getByText('Expected cash $128.30').locator('xpath=..');
    await count(page, { '$100.00': 1, '$20.00': 1 });
    await difference.getByText('$8.30 too little').waitFor();
    await expectAccessible(page);
    await count(page, { '$5.00': 1, '$1.00': 3, '$0.10': 3 });
    await difference.getByText('Exactly right').waitFor();
    await tap('One $0.10 more');
    await difference.getByText('$0.10 too much').waitFor();
    await tap('Close the drawer');
    expect(await line(page, 'Counted')).toBe('$128.40');
    expect(await line(page, 'Expected cash')).toBe('$128.30');
    expect(await line(page, 'Difference')).toBe('$0.10 too much');
    // A difference takes a note.
    const close = page.getByRole('button', { name: 'Close with $128.40' });
    const note = dialog(page).getByRole('textbox', { name: 'Why is it $0.10 too much?' });
    await dialog(page).getByText('Needed to close. The Z report shows it.').waitFor();
    await look(page, 'ask');
    expect(await close.isDisabled()).toBe(true);
    await note.fill('   ');
    expect(await close.isDisabled()).toBe(true);
    await note.fill(`${NOTE} `);
    await look(page, 'ask-filled');
    await tap('Close with $128.40');

    await dialog(page).getByRole('heading', { name: 'Z report' }).waitFor();
    await dialog(page).getByText('Over or short').waitFor();
    expect(await line(page, 'Counted')).toBe('$128.40');
    expect(await line(page, 'Over or short')).toBe('$0.10');
    await dialog(page).getByText(`Note on the count: ${NOTE}`, { exact: true }).waitFor();
    await dialog(page).getByText('Note on the count').scrollIntoViewIfNeeded();
    await look(page, 'z-report');

    // On paper there is the report alone, 72 mm wide on a strip of 80 mm.
    await page.evaluate(() => {
      window.print = () => void Object.assign(window, { isPrinted: true });
    });
    await tap('Print');
    await page.waitForFunction(() => 'isPrinted' in window, undefined, { polling: 50 });
    await page.emulateMedia({ media: 'print' });
    const paper = page.getByText('Over or short').last().locator('xpath=../../..');
    expect(Math.round((await paper.boundingBox())?.width ?? 0)).toBe(Math.round((72 / 25.4) * 96));
    expect(await page.getByRole('navigation').locator('visible=true').count()).toBe(0);
    expect(await paper.getByText(NOTE).isVisible()).toBe(true);
    await shoot(page, 'paper');
    await page.emulateMedia({ media: 'screen' });
    await press('Close');

    await page.getByRole('button', { name: /\$0\.10 too much/ }).click();
    await dialog(page).getByText('Over or short').waitFor();
    await press('Close');
    await page.getByRole('button', { name: /^Open with/ }).waitFor(); // the next shift can begin
    expect(complaints).toEqual([]);

    const { body } = await counter.shop.owner.call('GET', '/api/dashboard/cash-drawer-shifts');
    expect(body.shifts[0]).toMatchObject({
      state: 'CLOSED',
      expected_cash_money: { amount: 12_830 },
      closed_cash_money: { amount: 12_840 },
    });
    expect(await findBreaches(counter.server.database)).toEqual([]);

    const { page: office, goTo: visitPage } = await visit(counter.browser, counter.server, counter.shop.owner.session);
    await visitPage(`/dashboard/cash-drawers/${body.shifts[0].id}`);
    await office.getByText(`Note on the count: ${NOTE}`, { exact: true }).waitFor();
    await look(office, 'dashboard');
    const [download] = await Promise.all([
      office.waitForEvent('download'),
      office.getByRole('button', { name: 'CSV' }).click(),
    ]);
    const rows = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
    expect(rows.at(-1)).toBe(`Note on the count,"${NOTE}"`);
  });

  it('takes no note of a count without a difference', async () => {
    const { page, tap, press, open } = counter.tablet;
    await open('/register');
    await signIn(page, 'Ada', PASSCODES.ada);
    await goTo(page, 'Drawer');
    await count(page, { '$10.00': 1 });
    await tap('Open with $10.00');
    await tap('End the shift');
    await tap('End it');
    await page.getByRole('heading', { name: 'Count the cash to close the drawer' }).waitFor();
    await count(page, { '$10.00': 1 });
    await tap('Close the drawer');
    expect(await line(page, 'Difference')).toBe('Exactly right');
    expect(await dialog(page).getByRole('textbox').count()).toBe(0);
    await tap('Close with $10.00');
    await dialog(page).getByText('Over or short').waitFor();
    expect(await dialog(page).getByText('Note on the count').count()).toBe(0);
    await press('Close');
  });

  it('is counted blindly by somebody who may not see reports, and opened only for sales', async () => {
    const { page, tap, open } = counter.tablet;
    await open('/register');
    await signIn(page, 'Mia', PASSCODES.mia);
    await goTo(page, 'Drawer');
    await count(page, { '$10.00': 1 });
    await tap('Open with $10.00');
    await tap('End the shift');
    expect(await dialog(page).getByText('Expected cash').count()).toBe(0);
    await tap('End it');
    await page.getByRole('heading', { name: 'Count the cash to close the drawer' }).waitFor();
    const hidden = ['Paid in', 'Paid out', 'No sale', 'X report', /^Expected cash/, 'Z reports'];
    for (const text of hidden) expect(await page.getByText(text).count()).toBe(0);
    await count(page, { '$1.00': 9 });
    expect(await page.getByText(/too little/).count()).toBe(0);
    await tap('Close the drawer');
    expect(
      await dialog(page)
        .getByText(/Expected cash|Difference/)
        .count(),
    ).toBe(0);
    await dialog(page).getByRole('textbox', { name: 'Note on the count (optional)' }).fill('A note was torn');
    await look(page, 'ask-blind');
    await tap('Close with $9.00');
    await page.getByRole('heading', { name: 'Count the cash to open the drawer' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await page.getByText(/too little/).count()).toBe(0);
    const { owner } = counter.shop;
    const [{ id }] = (await owner.call('GET', '/api/dashboard/cash-drawer-shifts')).body.shifts;
    // The register shows the drawer as closed before the server has answered.
    const readReport = async () => (await owner.call('GET', `/api/dashboard/cash-drawer-shifts/${id}`)).body.report;
    await expect
      .poll(readReport)
      .toMatchObject({ over_short_money: { amount: -100 }, closing_note: 'A note was torn' });
  });

  it('can be ended while its opening waits to be sent', async () => {
    const { page, tap, open } = counter.tablet;
    await open('/register');
    await signIn(page, 'Mia', PASSCODES.mia);
    await goTo(page, 'Drawer');
    const held: Route[] = [];
    await page.route('**/api/register/cash-drawer-shifts', (route) => void held.push(route), { times: 1 });
    await tap('Open with $0.00');
    await expect.poll(() => held.length).toBe(1);
    await tap('End the shift');
    await tap('End it');
    await page.getByRole('heading', { name: 'Count the cash to close the drawer' }).waitFor();
    await held[0]?.continue();
    await page.getByText('The shift is ended. Count the cash to close it.').waitFor();
    // Nothing was counted, so it asks twice.
    await tap('Close the drawer');
    await dialog(page).getByRole('heading', { name: 'Is the drawer empty?' }).waitFor();
    await expectAccessible(page);
    await tap('Count the cash');
    await tap('Close the drawer');
    await tap('Yes, it is empty');
    await tap('Close with $0.00');
    await page.getByText('The drawer is closed.').waitFor();
    const { body } = await counter.shop.owner.call('GET', '/api/dashboard/cash-drawer-shifts');
    expect(body.shifts[0]).toMatchObject({ state: 'CLOSED', opened_cash_money: { amount: 0 } });
  });

  it('shows what was taken before it was opened beside the X report, in no sum of it', async () => {
    const { page, tap, press, open } = counter.tablet;
    await open('/register');
    await signIn(page, 'Ada', PASSCODES.ada);
    await goTo(page, 'Sell');
    await addTile(page, 'Espresso');
    await sellForCash(page);
    await goTo(page, 'Drawer');
    await tap('Open with $0.00');
    await page.getByText('Expected cash').waitFor();
    await tap('X report');
    await dialog(page).getByText('Cash in no drawer', { exact: true }).waitFor();
    expect(await line(page, 'Taken in no drawer (1)')).toBe('$3.30');
    expect(await line(page, 'Given back from no drawer (0)')).toBe('$0.00');
    expect(await line(page, 'Cash in no drawer')).toBe('$3.30');
    expect(await line(page, 'Expected cash')).toBe('$0.00');
    if (PICTURES) await page.screenshot({ path: join(PICTURES, 'outside-register.png') });
    await expectAccessible(page);
    await press('Close');
  });

  it('says at a sale that cash goes into no drawer while none is open', async () => {
    const { page, tap } = await startWork(counter.browser, counter.server, counter.shop); // it has no drawer yet
    await addTile(page, 'Espresso');
    await tap(/^Charge/);
    await payment(page).getByRole('button', { name: 'Cash' }).click();
    await payment(page).getByText('No drawer is open: this cash will be in no drawer.').waitFor();
    await expectAccessible(page);
    await payment(page)
      .getByRole('button', { name: /Exact amount/ })
      .click();
    await tap('Next sale');
    await openDrawer(page, '$10.00', '$10.00');
    await addTile(page, 'Espresso');
    await tap(/^Charge/);
    await payment(page).getByRole('button', { name: 'Cash' }).click();
    await payment(page)
      .getByRole('button', { name: /Exact amount/ })
      .waitFor();
    expect(await payment(page).getByText('No drawer is open').count()).toBe(0);
  });
});
