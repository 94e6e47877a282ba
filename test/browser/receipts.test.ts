/** All receipts of one sale say the same: what the register prints, its page for the buyer, the dashboard and the list of past sales (decision 0232). */
import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { TestOwner } from '../support/dashboard.js';
import { PATIENCE_MS } from './dashboard-visit.js';
import { addTile, dialog, goTo, payCash, payment, press, ringUp, TEST_CARD, tile } from './register-counter.js';
import { done, PASSCODES, signIn, usd, workAtOneTablet } from './register-shop.js';

/** Far from the time zone of the browser. */
const TIMEZONE = 'Asia/Tokyo';

const counter = workAtOneTablet({ prepare: ({ owner }) => setUp(owner) });

async function setUp(owner: TestOwner): Promise<void> {
  const path = `/api/dashboard/locations/${owner.merchant.locationIds[0]}`;
  const { version } = done(await owner.call('GET', path));
  const body = { name: 'Bergen', timezone: TIMEZONE, status: 'ACTIVE', version, tip_percentages: [10, 20] };
  done(await owner.call('PUT', path, { body }));
}

interface Paper {
  /** Each name with its amount. Names in smaller letters have none. */
  readonly lines: readonly (readonly string[])[];
  readonly head: string;
}

const plain = (text: string) => text.replaceAll('−', '-').replaceAll(/\s+/g, ' ').trim();

async function linesIn(root: Page | Locator): Promise<string[][]> {
  const lines = await root
    .locator('[data-line]')
    .evaluateAll((all) => all.map((line) => [...line.children].map((part) => part.textContent ?? '')));
  return lines.map((line) => line.map(plain));
}

/** What the register shows, and would print, after a sale. */
async function onScreen(page: Page): Promise<Paper> {
  await press(page.getByRole('button', { name: 'Receipt', exact: true }));
  const lines = await linesIn(dialog(page));
  const head = plain(await dialog(page).innerText());
  await page.keyboard.press('Escape');
  await press(page.getByRole('button', { name: 'Next sale' }));
  await tile(page, 'Espresso').waitFor();
  return { lines, head };
}

const saleOf = async (index = 0) => {
  const { owner } = counter.shop;
  const { sales } = done(await owner.call('GET', '/api/dashboard/sales'));
  return done(await owner.call('GET', `/api/dashboard/sales/${sales[index].id}`)).sale;
};

async function onWeb(path: string): Promise<Paper> {
  const { text } = await counter.server.call('GET', path);
  const rows = [...text.matchAll(/<tr[^>]*><th scope="row">(.*?)<\/th><td>(.*?)<\/td><\/tr>/gs)];
  const lines = rows.flatMap(([, name = '', amount = '']) => {
    const [first = '', ...details] = name.split(/<small>/).map((part) => plain(part.replace('</small>', '')));
    return [[first, plain(amount)], ...details.map((detail) => [detail, ''])];
  });
  return { lines, head: plain(text.replaceAll(/<[^>]*>/g, ' ')) };
}

/** The same lines, and the same time in the time zone of the location. */
async function expectSame(shown: Paper): Promise<void> {
  const sale = await saleOf();
  const web = await onWeb(sale.receipt_path);
  expect(shown.lines).toEqual(web.lines);
  const format = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short', timeZone: TIMEZONE });
  const time = plain(format.format(Date.parse(sale.created_at)));
  expect(web.head).toContain(time);
  expect(shown.head).toContain(time);
  const sums = sale.receipt_lines.map(
    ({ name, amount_money: { amount } }: { name: string; amount_money: { amount: number } }) => [
      name,
      `${amount < 0 ? '-' : ''}$${(Math.abs(amount) / 100).toFixed(2)}`,
    ],
  );
  expect(shown.lines).toEqual(expect.arrayContaining(sums));
}

it('of a split sale with a discount and a tip', async () => {
  const { page, tap } = counter.tablet;
  await signIn(page, 'Ada', PASSCODES.ada);
  for (const name of ['Banana bread', 'Banana bread', 'Espresso']) await addTile(page, name);
  await tap('Discount');
  await tap(/Happy hour/);
  await press(page.getByRole('button', { name: /^Charge/ }));
  await press(payment(page).getByRole('button', { name: 'Split' }));
  await press(page.getByRole('button', { name: /^2 people/ }));
  await payCash(page, /\$20/, press);
  await press(page.getByRole('button', { name: /^Next: the rest/ }));
  await press(payment(page).getByRole('button', { name: 'Card', exact: true }));
  await press(page.getByRole('button', { name: /^10 %/ }));
  await press(page.getByRole('button', { name: TEST_CARD }));
  const paper = await onScreen(page);
  expect(paper.lines.map(([name]) => name)).toEqual(
    expect.arrayContaining([
      '2 × Banana bread',
      '$10.00 each',
      'Happy hour',
      'Sales tax 10 %',
      'Tip',
      'Total with tip',
    ]),
  );
  await expectSame(paper);
});

it('of an exchange', async () => {
  const { page, tap } = counter.tablet;
  await signIn(page, 'Ada', PASSCODES.ada);
  await addTile(page, 'Espresso');
  await press(page.getByRole('button', { name: /^Charge/ }));
  await payCash(page, undefined, press);
  await expectSame(await onScreen(page));
  await goTo(page, 'Sales');
  await page.getByRole('main').getByRole('listitem').first().getByRole('button').click();
  await tap('Give back');
  await dialog(page).getByRole('button', { name: 'One more' }).click();
  await dialog(page).getByRole('button', { name: 'Exchange', exact: true }).click();
  await ringUp(page, ['Banana bread'], press);
  await payCash(page, undefined, press);
  const { lines, head } = await onScreen(page);
  expect(lines).toContainEqual(['Exchange', '$3.30']);
  expect(lines.at(-1)).toEqual(['Returned: Espresso', '']); // what came back is on the receipt of the first sale
  await expectSame({ lines: lines.slice(0, -1), head });
});

it('of a sale that is sent later, and after a refund', async () => {
  const { page, tap } = counter.tablet;
  await counter.tablet.open('/register'); // the list of sales is asked for again
  await signIn(page, 'Ada', PASSCODES.ada);
  const before = (await saleOf()).id;
  await page.context().setOffline(true);
  await page.getByText('Offline: selling goes on').waitFor();
  await addTile(page, 'Banana bread');
  await press(page.getByRole('button', { name: /^Charge/ }));
  await payCash(page, /\$20/, press);
  await page.getByText('Kept here. It is sent').waitFor();
  const paper = await onScreen(page);
  await page.context().setOffline(false);
  await expect.poll(async () => (await saleOf()).id, { timeout: PATIENCE_MS }).not.toBe(before);
  await expectSame(paper);

  const sale = await saleOf();
  const refund = { idempotency_key: 'back', type: 'AMOUNT', reason: 'Cold' };
  const part = { tender_id: sale.tenders[0].id, amount_money: usd(200) };
  done(
    await counter.shop.owner.call('POST', `/api/dashboard/sales/${sale.id}/refunds`, { body: { ...refund, ...part } }),
  );
  const { lines } = await onWeb(sale.receipt_path);
  expect(lines.slice(0, paper.lines.length)).toEqual(paper.lines);
  expect(lines.slice(paper.lines.length).map(([name]) => name)[0]).toBe('Refund to Cash');

  // The list of past sales says the same sums, and what was given back.
  await goTo(page, 'Sales');
  await page.getByRole('main').getByRole('listitem').first().getByRole('button').click();
  const past = await linesIn(dialog(page));
  expect(past).toEqual(
    expect.arrayContaining([
      ['Banana bread', '$10.00'],
      ['Sales tax 10 %', '$1.00'],
      ['Total', '$11.00'],
    ]),
  );
  expect(past).toContainEqual(['Given back', '-$2.00']);
  await tap('Close');
});
