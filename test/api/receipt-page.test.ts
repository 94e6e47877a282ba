/** The receipt page for buyers, and the addresses that lead to it (decision 0156). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestOwner } from '../support/dashboard.js';
import { callApi } from '../support/http.js';
import { pay } from '../support/payments.js';
import { openBusiness, type Register } from '../support/people.js';
import { freePort } from '../support/ports.js';
import { Receiver, subscribe } from '../support/receiver.js';
import { card, cash, item, sell, type WireSale } from '../support/register-sales.js';
import { cloneDatabase, startTestServer, type TestServer } from '../support/server.js';

let server: TestServer;
let owner: TestOwner;
let till: Register;

beforeAll(async () => {
  server = await startTestServer();
  const clock = { now: '2020-02-26T10:00:00Z', frozen: true };
  const role = { permissions: ['REGISTER_ISSUE_REFUNDS'] };
  const locations = [{ name: 'Main Street', timezone: 'America/New_York' }];
  const merchant = { business_name: 'Bean & <Leaf>', clock, locations };
  ({ owner, register: till } = await openBusiness(server, merchant, { role }));
});
afterAll(() => server.stop());

const path = (id: string, merchant = owner.merchant.id) => `/receipts/${id}?merchant=${merchant}`;
const idOf = (sale: WireSale) => sale.payment_id ?? '';

async function show(id: string): Promise<string> {
  const answer = await server.call('GET', path(id));
  expect(answer.status, answer.text).toBe(200);
  return answer.text;
}

/** The rows of all tables: name with details, and amount. */
function rowsOf(page: string): string[][] {
  return [...page.matchAll(/<tr[^>]*><th scope="row">(.*?)<\/th><td>(.*?)<\/td><\/tr>/gs)].map(([, name, amount]) =>
    [name, amount].map((cell) => (cell ?? '').replaceAll(/<small>(.*?)<\/small>/g, ' | $1')),
  );
}

describe('the receipt page', () => {
  it('shows everything that a buyer paid for, to the cent, in the time of the location', async () => {
    const sale = await sell(till, {
      itemizations: [
        item(400, { name: 'Latte <large>', quantity: '2', modifiers: [{ name: 'Oat', price_money: { amount: 50 } }] }),
        item(333, {
          name: 'Loaf',
          item_variation_name: 'Rye',
          notes: 'Sliced',
          discounts: [{ name: 'Old', rate: '0.5' }],
        }),
      ],
      discounts: [{ name: 'Morning', amount_money: { amount: 100 } }],
      taxes: [{ name: 'Sales tax', rate: '0.0875' }],
      tenders: [card(500, { tip_money: { amount: 150 } }), cash(undefined, { tendered_money: { amount: 1000 } })],
    });
    const page = await show(idOf(sale));
    const total = sale['total_money'] as { amount: number };
    expect(rowsOf(page)).toEqual([
      ['2 × Latte &lt;large&gt; | $4.00 each | Oat $1.00', '$9.00'],
      ['Loaf | Rye | Sliced', '$3.33'],
      ['Subtotal', '$12.33'],
      ['Morning', '-$1.00'],
      ['Old', expect.stringMatching(/^-\$1\.6\d$/)],
      ['Sales tax 8.75 %', expect.stringMatching(/^\$0\.\d\d$/)],
      ['Total', `$${(total.amount / 100).toFixed(2)}`],
      ['Tip', '$1.50'],
      ['Visa •••• 5858', '$6.50'],
      [expect.stringMatching(/^Cash \| Received \$10\.00, change \$\d\.\d\d$/), expect.any(String)],
    ]);
    const cents = (row: number) => Number(rowsOf(page)[row]?.[1]?.replaceAll(/[$.]/g, ''));
    expect(cents(2) + cents(3) + cents(4) + cents(5)).toBe(total.amount);
    expect(page).toContain('<h1>Bean &amp; &lt;Leaf&gt;</h1>');
    expect(page).toContain('Feb 26, 2020');
    expect(page).toMatch(/5:00.AM/);
    expect(page).toContain(`Receipt ${idOf(sale).slice(-4)}`);
    expect(/<script|employee|till 1/i.test(page)).toBe(false);
  });

  it('names inclusive taxes after the total, and discounts as buyers see them', async () => {
    const sale = await sell(till, {
      itemizations: [item(1200, { taxes: [{ name: 'VAT', rate: '0.2', inclusion_type: 'INCLUSIVE' }] })],
      discounts: [{ name: 'Ten', rate: '0.1' }],
      tenders: [cash()],
    });
    expect(rowsOf(await show(idOf(sale)))).toEqual([
      ['Loaf', '$12.00'],
      ['Subtotal', '$12.00'],
      ['Ten', '-$1.20'],
      ['Total', '$10.80'],
      ['Includes VAT 20 %', '$1.80'],
      ['Cash', '$10.80'],
    ]);
  });

  it('shows refunds, and what is missing or canceled', async () => {
    const sale = await sell(till, { tenders: [cash()] });
    const refund = { payment_id: idOf(sale), type: 'PARTIAL', reason: 'A secret', refunded_money: { amount: 250 } };
    expect((await till.write('/api/register/refunds', refund)).status).toBe(200);
    const page = await show(idOf(sale));
    expect(rowsOf(page).at(-1)).toEqual([expect.stringMatching(/^Refund to Cash \| Feb 26, 2020/), '-$2.50']);
    expect(page).not.toContain('A secret');
    const open = await sell(till, { tenders: [cash(400)] });
    expect(await show(idOf(open))).toContain('Not paid in full yet: $6.00 left.');
    await till.write(`/api/register/sales/${open.id}/cancel`);
    expect(await show(idOf(open))).toContain('This sale was canceled.');
  });

  it('shows payments of applications, and sales without a tender', async () => {
    const payment = await pay(server, owner.merchant, { amount_money: { amount: 1500, currency: 'USD' } });
    expect(rowsOf(await show(payment.id))).toEqual([
      ['Payment', '$15.00'],
      ['Visa •••• 5858', '$15.00'],
    ]);
    const free = await sell(till, { itemizations: [item(0)], tenders: [] });
    expect(rowsOf(await show(idOf(free)))).toEqual([
      ['Loaf', '$0.00'],
      ['Total', '$0.00'],
    ]);
  });

  it('is for those who have the address: not listed, without scripts, with pictures of this server only', async () => {
    const { headers } = await server.call('GET', path(idOf(await sell(till))));
    expect(headers['x-robots-tag']).toBe('noindex, nofollow');
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; img-src data: 'self';/,
    );
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['cache-control']).toContain('no-store');
  });

  it('says what to do if there is no such receipt', async () => {
    const sale = await sell(till);
    const { owner: other } = await openBusiness(server);
    const { refunds } = (
      await till.write('/api/register/refunds', { payment_id: idOf(sale), type: 'FULL', reason: 'Cold' })
    ).body;
    for (const address of [
      path(idOf(sale), other.merchant.id),
      path(idOf(sale), 'nobody'),
      `/receipts/${idOf(sale)}`,
      path(`${idOf(sale)}x`),
      path(refunds[0].id),
      path('x'.repeat(300)),
      path('%00'),
      path("'%20or%201=1"),
    ]) {
      const answer = await server.call('GET', address);
      expect([address, answer.status]).toEqual([address, 404]);
      expect(answer.text).toContain('There is no receipt at this address');
    }
  });
});

describe('receipt_url', () => {
  it('is the path at a register of a server without a public URL, and the whole address with one', async () => {
    const sale = await sell(till);
    expect(sale['receipt_url']).toBe(path(idOf(sale)));
    expect((await server.call('GET', String(sale['receipt_url']))).status).toBe(200);
    expect((await sell(till, {}))['receipt_url']).toBeUndefined();
    const config = { port: await freePort(), publicUrl: 'https://till.example' };
    const known = await startTestServer({ databaseUrl: server.databaseUrl, config });
    try {
      const headers = { 'tillhouse-employee-session': till.session };
      const options = { token: till.device.token, headers };
      const at = `http://127.0.0.1:${config.port}`;
      const found = await callApi(at, 'GET', `/api/register/sale-search?query=${sale.id}`, options);
      expect(found.body.sales[0].receipt_url).toBe(`https://till.example${path(idOf(sale))}`);
    } finally {
      await known.stop();
    }
  });

  it('leads to the page under the public URL in both generations and in webhooks', async () => {
    const config = { port: await freePort(), publicUrl: 'https://till.example' };
    const receiver = await Receiver.open();
    // The first server stops, so that the one with the public URL sends the message.
    const database = await cloneDatabase();
    const first = await startTestServer({ databaseUrl: database.url });
    const merchant = await first.createMerchant();
    await subscribe(first, merchant, receiver.url, { event_types: ['payment.created'] });
    await first.stop();
    const known = await startTestServer({ databaseUrl: database.url, config });
    try {
      const call = (method: string, at: string, body?: object) =>
        callApi(`http://127.0.0.1:${config.port}`, method, at, { token: merchant.token, ...(body && { body }) });
      const made = await call('POST', '/v2/payments', {
        idempotency_key: 'receipt',
        source_id: 'cnon:card-nonce-ok',
        amount_money: { amount: 700, currency: 'USD' },
        note: '"receipt_url":"https://squareup.com/receipt/preview/x"',
      });
      const { id } = made.body.payment;
      const url = `https://till.example${path(id, merchant.id)}`;
      const [listed] = (await call('GET', '/v2/payments')).body.payments;
      const [event] = await receiver.until(1);
      const tendered = (await call('GET', `/v1/me/payments/${id}`)).body;
      expect(made.body.payment.note).toContain('squareup.com');
      expect([
        made.body.payment.receipt_url,
        (await call('GET', `/v2/payments/${id}`)).body.payment.receipt_url,
        listed.receipt_url,
        event?.body.data.object.payment.receipt_url,
        tendered.receipt_url,
        tendered.tender[0].receipt_url,
      ]).toEqual(Array(6).fill(url));
      expect((await call('GET', path(id, merchant.id))).status).toBe(200);
    } finally {
      await known.stop();
      await receiver.close();
      await database.drop();
    }
  });
});
