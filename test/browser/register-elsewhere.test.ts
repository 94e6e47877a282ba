/** What another register, the owner or the server does with an open sale behind the back of this register never stops it from selling. */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { pairDevice, type Register, signInAt } from '../support/people.js';
import { PATIENCE_MS } from '../support/real-browser.js';
import { cash, SALES, sell, type WireSale } from '../support/register-sales.js';
import { expectAccessible } from './dashboard-visit.js';
import { readTablet } from './register-books.js';
import { addTile, cart, dialog, goTo, payCash, payment, press, sellForCash, untilTotal } from './register-counter.js';
import { done, lockUp, PASSCODES, signIn, usd, workAtOneTablet } from './register-shop.js';

const counter = workAtOneTablet();
let back: Register;

beforeAll(async () => {
  const { server, shop } = counter;
  const device = await pairDevice(server, shop.owner, { name: 'Back' });
  back = await signInAt(device, shop.ada.id, PASSCODES.ada);
});

const BREAD = { name: 'Banana bread', single_quantity_money: { amount: 2200 } };
let tables = 0;

const payAtBack = ({ id }: WireSale, amount?: number) => back.write(`${SALES}/${id}/tenders`, cash(amount));
const editAtBack = ({ id, label, version }: WireSale) =>
  back.call('PUT', `${SALES}/${id}`, {
    body: { id: crypto.randomUUID(), version, label, itemizations: [BREAD, BREAD] },
  });

/** The tablet has taken up a sale of $22.00, which is called `Table 1`, `Table 2` and so on. */
async function hold(page: Page): Promise<{ sale: WireSale; label: string }> {
  const label = `Table ${++tables}`;
  const sale = await sell(back, { label, itemizations: [BREAD], tenders: [] });
  await goTo(page, 'Open');
  await press(page.getByRole('listitem').getByRole('button', { name: new RegExp(`^${label}\\b`) }));
  await cart(page).getByRole('heading', { name: label, exact: true }).waitFor();
  await untilTotal(page, '$22.00');
  return { sale, label };
}

async function move({ id }: WireSale): Promise<void> {
  await counter.server.database.sql`update sales set location_id = 'elsewhere' where sale_id = ${id}`;
}

async function erase({ id }: WireSale): Promise<void> {
  await counter.server.database.sql`delete from sales where sale_id = ${id}`;
}

async function refund(sale: WireSale): Promise<void> {
  const paid = done(await payAtBack(sale)).sale;
  const body = { payment_id: paid.payment_id, type: 'FULL', reason: 'Cold' };
  done(await back.write('/api/register/refunds', body));
}

/** What happens to the sale, and what the tablet says. */
const ENDS = [
  ['paid', payAtBack, 'was paid on Back by Ada at'],
  ['refunded', refund, 'was paid on Back by Ada at'],
  ['canceled', ({ id }: WireSale) => back.write(`${SALES}/${id}/cancel`), 'was canceled on Back by Ada at'],
  ['moved to another location', move, 'is not among the sales of this location any more.'],
  ['erased', erase, 'is not among the sales of this location any more.'],
] as const;

const CHANGES = [
  ['edited', editAtBack, '$44.00'],
  ['partly paid', (sale: WireSale) => payAtBack(sale, 600), '$16.00'],
  [
    'taken over, edited and paid in part',
    async (sale: WireSale) => {
      await editAtBack(sale);
      await payAtBack(sale, 600);
    },
    '$38.00',
  ],
] as const;

async function openMenu(page: Page): Promise<void> {
  await cart(page).getByRole('button', { name: 'More for this sale' }).click();
}

/** The ways to deal with the sale. Each is refused by the server. */
const WAYS = {
  async charge(page: Page) {
    await press(page.getByRole('button', { name: /^Charge/ }));
    await payCash(page, undefined, press);
  },
  async park(page: Page) {
    await addTile(page, 'Espresso');
    await press(cart(page).getByRole('button', { name: 'Park', exact: true }));
    await press(dialog(page).getByRole('button', { name: 'Park it' }));
  },
  async cancel(page: Page) {
    await openMenu(page);
    await cart(page).getByRole('menuitem', { name: 'Cancel the sale' }).click();
    await press(dialog(page).getByRole('button', { name: 'Cancel the sale' }));
  },
} as const;

const line = (page: Page, text: string) => page.getByText(text, { exact: false }).filter({ visible: true }).first();

/** The line stays through a lock and a reload, until somebody closes it. */
async function closeNote(page: Page): Promise<void> {
  const note = page.getByRole('list', { name: 'Notes' }).getByRole('listitem');
  await page.reload();
  await note.waitFor();
  await lockUp(page);
  await signIn(page, 'Ada', PASSCODES.ada);
  await note.getByRole('button', { name: 'Close this note' }).click();
  await note.waitFor({ state: 'detached' });
}

async function clearCart(page: Page): Promise<void> {
  await openMenu(page);
  await cart(page)
    .getByRole('menuitem', { name: /^(?:Clear the cart|Put it back)$/ })
    .click();
  const asked = dialog(page).getByRole('button', { name: /^(?:Clear it|Put it back)$/ });
  await asked.or(page.getByText('Tap an item, or scan its code.')).first().waitFor();
  if (await asked.isVisible()) await press(asked);
  await untilTotal(page, '$0.00');
}

describe('an open sale that is in the cart', () => {
  it.each(ENDS)('and was %s elsewhere is let go, and the next sale is made', async (_, act, words) => {
    const { page, complaints } = counter.tablet;
    await signIn(page, 'Ada', PASSCODES.ada);
    for (const way of ['charge', 'park', 'cancel'] as const) {
      const { sale, label } = await hold(page);
      await act(sale);
      await WAYS[way](page);
      await line(page, `${label} ${words}`).waitFor();
      await page.getByRole('region', { name: 'Items' }).waitFor();
      if (way === 'park') {
        // What was added here is not lost.
        await line(page, 'Still in the cart, because it was added here: Espresso.').waitFor();
        await untilTotal(page, '$3.30');
        await clearCart(page);
      } else {
        await untilTotal(page, '$0.00');
        await addTile(page, 'Espresso');
        await sellForCash(page);
      }
    }
    expect((await readTablet(page)).writes).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it.each(CHANGES)('and was %s elsewhere is shown as it is now, and can be paid', async (_, act, due) => {
    const { page } = counter.tablet;
    await signIn(page, 'Ada', PASSCODES.ada);
    const { sale, label } = await hold(page);
    await act(sale);
    await addTile(page, 'Espresso');
    await press(page.getByRole('button', { name: /^Charge/ }));
    await payCash(page, undefined, press);
    const alert = payment(page).getByRole('alert');
    await alert.getByText(`${label} was changed on Back by Ada at`).waitFor();
    await alert.getByText('Still in the cart, because it was added here: Espresso.').waitFor();
    await expectAccessible(page);
    await payment(page).getByRole('button', { name: 'Other ways to pay' }).click();
    await payment(page).getByRole('button', { name: 'Back to the cart' }).click();
    await press(cart(page).getByRole('button', { name: /^(?:\d+ × )?Espresso/ }));
    await press(dialog(page).getByRole('button', { name: /Remove/ }));
    await untilTotal(page, due);
    await sellForCash(page);
    expect(done(await back.call('GET', `${SALES}/${sale.id}`)).sale.state).toBe('COMPLETED');
  });

  it('is not charged for more than the screen shows', async () => {
    const { page } = counter.tablet;
    await signIn(page, 'Ada', PASSCODES.ada);
    const { sale } = await hold(page);
    await editAtBack(sale);
    await press(page.getByRole('button', { name: /^Charge/ }));
    await payment(page).getByRole('button', { name: 'Card', exact: true }).click();
    await page.getByRole('button', { name: /Visa, contactless/ }).click();
    await payment(page).getByRole('heading', { name: '$22.00' }).waitFor();
    await page.getByRole('complementary', { name: 'Sale' }).getByText('Left to pay').waitFor();
    const [tender] = done(await back.call('GET', `${SALES}/${sale.id}`)).sale.tenders;
    expect(tender.amount_money).toEqual(usd(2200));
    await payCash(page, undefined, press);
    await press(page.getByRole('button', { name: 'Next sale' }));
  });

  it('and was paid elsewhere does not stop another one from being taken up', async () => {
    const { page } = counter.tablet;
    await signIn(page, 'Ada', PASSCODES.ada);
    const { sale, label } = await hold(page);
    await addTile(page, 'Espresso');
    await payAtBack(sale);
    await hold(page);
    await line(page, `${label} was paid on Back by Ada at`).waitFor();
    await goTo(page, 'Open');
    await page.getByRole('listitem').getByText(label, { exact: true }).waitFor(); // the espresso, parked
    await goTo(page, 'Sell');
    await clearCart(page);
  });
});

describe('a sale that is paid in part', () => {
  it.each([...ENDS.slice(0, 1), ...ENDS.slice(2)])('and was %s elsewhere is let go', async (_, act, words) => {
    const { page } = counter.tablet;
    await signIn(page, 'Ada', PASSCODES.ada);
    const { sale, label } = await hold(page);
    await press(page.getByRole('button', { name: /^Charge/ }));
    await payment(page).getByRole('button', { name: 'Split' }).click();
    await payment(page)
      .getByRole('button', { name: /^2 people/ })
      .click();
    await payCash(page, undefined, press);
    await payment(page).getByRole('button', { name: 'Leave the sale open' }).waitFor();
    if (act === erase) await counter.server.database.sql`delete from payments where sale_id = ${sale.id}`;
    await act(sale);
    await payCash(page, undefined, press);
    await line(page, `${label} ${words}`).waitFor();
    await untilTotal(page, '$0.00');
    await addTile(page, 'Espresso');
    await sellForCash(page);
  });
});

describe('a register without a network', () => {
  const offline = async (page: Page, isOffline: boolean) => page.context().setOffline(isOffline);
  const untilSent = async (page: Page) => {
    await page.evaluate(() => dispatchEvent(new Event('online')));
    await expect
      .poll(async () => (await readTablet(page)).writes.filter(({ error }) => !error), { timeout: PATIENCE_MS })
      .toEqual([]);
  };

  it.each(ENDS.slice(0, 3))('takes cash for a sale that was %s: it is recorded, and told', async (_, act, words) => {
    const { page } = counter.tablet;
    await signIn(page, 'Ada', PASSCODES.ada);
    const { sale, label } = await hold(page);
    await offline(page, true);
    await act(sale);
    await WAYS.charge(page);
    await press(page.getByRole('button', { name: 'Next sale' }));
    await addTile(page, 'Espresso');
    await sellForCash(page);
    await offline(page, false);
    await untilSent(page);
    await line(page, `${label} ${words}`).waitFor();
    await line(page, 'The $22.00 in cash that was taken here too is recorded, and the owner sees it.').waitFor();
    expect((await readTablet(page)).writes).toEqual([]);
    const { writes } = done(await counter.shop.owner.call('GET', '/api/dashboard/flagged-writes'));
    expect(writes.find((write: { sale_id?: string }) => write.sale_id === sale.id)).toMatchObject({
      flags: [{ code: 'PAID_TWICE', detail: expect.stringContaining('$22.00 in cash') }],
    });
    await closeNote(page);
  });

  it('takes cash for a sale that was edited or partly paid: what is needed pays, the rest is recorded', async () => {
    const { page } = counter.tablet;
    await signIn(page, 'Ada', PASSCODES.ada);
    const { sale } = await hold(page);
    await offline(page, true);
    await payAtBack(sale, 600);
    await WAYS.charge(page);
    await press(page.getByRole('button', { name: 'Next sale' }));
    await offline(page, false);
    await untilSent(page);
    await line(page, 'The $6.00 in cash that was taken here too is recorded').waitFor();
    expect(done(await back.call('GET', `${SALES}/${sale.id}`)).sale.state).toBe('COMPLETED');
    await closeNote(page);
  });

  it.each(ENDS)('cancels a sale that was %s: what became of it is in the list', async (_, act, words) => {
    const { page, tap } = counter.tablet;
    await signIn(page, 'Ada', PASSCODES.ada);
    const { sale, label } = await hold(page);
    await offline(page, true);
    await act(sale);
    await WAYS.cancel(page);
    await untilTotal(page, '$0.00');
    await offline(page, false);
    await untilSent(page);
    await page.getByText(/refused by the server/).click();
    const expected = words.startsWith('is not') ? 'There is no sale with the id' : `${label} ${words}`;
    await dialog(page).getByText(expected).waitFor();
    await tap('Remove');
    await tap('Yes, remove it for good');
    await tap('Close');
    await addTile(page, 'Espresso');
    await sellForCash(page);
  });

  it('puts a sale back that cannot be saved now', async () => {
    const { page } = counter.tablet;
    await signIn(page, 'Ada', PASSCODES.ada);
    const { sale } = await hold(page);
    await offline(page, true);
    await addTile(page, 'Espresso');
    await clearCart(page);
    await addTile(page, 'Espresso');
    await sellForCash(page);
    await offline(page, false);
    await untilSent(page);
    expect(done(await back.call('GET', `${SALES}/${sale.id}`)).sale).toMatchObject({
      state: 'OPEN',
      version: sale['version'],
    });
  });

  it('counts the cash of a needless payment in the drawer', async () => {
    const { page, open } = counter.tablet;
    await open('/register');
    await signIn(page, 'Ada', PASSCODES.ada);
    await goTo(page, 'Drawer');
    await press(page.getByRole('button', { name: 'Open with $0.00' }));
    await page.getByText('Opened with').waitFor();
    await goTo(page, 'Sell');
    const { sale } = await hold(page);
    await offline(page, true);
    await payAtBack(sale);
    await WAYS.charge(page);
    await press(page.getByRole('button', { name: 'Next sale' }));
    await offline(page, false);
    await untilSent(page);
    const { deviceId } = await readTablet(page);
    const rows = await counter.server.database.sql`
      select expected_cash::int as cash from cash_drawer_shifts where device_id = ${deviceId} and state = 'OPEN'`;
    expect(rows).toMatchObject([{ cash: 2200 }]);
    await expect.poll(async () => (await readTablet(page)).expectedCash, { timeout: PATIENCE_MS }).toBe(2200);
  });
});
