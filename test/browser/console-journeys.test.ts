/** What developers do in the console, in a real browser: they find why an integration is broken, and try what it does. */
import { createHmac } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { operationsOn } from '../../src/operations.js';
import type { ApiResponse } from '../support/http.js';
import { startPageServer } from '../support/page-server.js';
import { RealBrowser } from '../support/real-browser.js';
import { answer, Receiver } from '../support/receiver.js';
import type { TestMerchant, TestServer } from '../support/server.js';
import { enterConsole, payment, send as sendTo } from './console-visit.js';
import { expectAccessible, expectNoSidewaysScroll, PHONE, type Visit } from './dashboard-visit.js';

let server: TestServer;
let browser: RealBrowser;
/** All tests at a desk share one page, since loading it takes most of the time of a test. */
let developer: Visit;

beforeAll(async () => {
  [server, browser] = [await startPageServer(), await RealBrowser.open()];
  const options = { permissions: ['clipboard-read', 'clipboard-write'] };
  developer = await enterConsole(browser, server, '/console/merchants', options);
});
afterAll(async () => {
  await browser.close();
  await server.stop();
});

async function openConsole(path: string): Promise<Visit> {
  await developer.goTo(path);
  return developer;
}

const send = (method: string, path: string, token: string, body?: unknown): Promise<ApiResponse> =>
  sendTo(server, method, path, token, body);

const rows = (page: Page) => page.getByRole('list', { name: 'Requests' }).getByRole('link');

describe('a developer with a broken integration finds the cause in the console', () => {
  it('an expired token', async () => {
    const merchant = await server.createMerchant({ business_name: 'Juniper' });
    const token = await server.createToken(merchant.id, ['PAYMENTS_READ']);
    await server.operator('POST', '/api/sandbox/tokens/expire', { access_token: token });
    const { page, complaints } = await openConsole(`/console?merchant=${merchant.id}`);
    await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    await send('GET', '/v2/payments', token); // it appears without a reload
    await rows(page).filter({ hasText: 'v2.listPayments' }).filter({ hasText: 'ACCESS_TOKEN_EXPIRED' }).click();
    await page.getByText('it has expired or was revoked').waitFor();
    await page.getByText('POST /oauth2/token').waitFor();
    await expectAccessible(page);
    expect(await page.content()).not.toContain(token);
    expect(complaints).toEqual([]);
  });

  it('a retry that forgot its idempotency key', async () => {
    const other = await server.createMerchant({ business_name: 'Paid twice' });
    await send('POST', '/v2/payments', other.token, payment({ note: 'one coffee' }));
    const second = await send('POST', '/v2/payments', other.token, payment({ note: 'one coffee' }));
    const { page, complaints } = await openConsole(`/console?merchant=${other.id}`);
    await rows(page).nth(1).waitFor(); // a request is listed after its response
    await rows(page).first().click();
    const warning = page.getByRole('alert').filter({ hasText: 'another idempotency key' });
    await warning.waitFor();
    await page.getByText(second.body.payment.id).first().waitFor();
    await expectAccessible(page);
    await warning.getByRole('link', { name: 'Show that request' }).click();
    await warning.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByText('with the same idempotency key, so nothing new was made').waitFor();
    expect(complaints).toEqual([]);
  });

  it('a misspelt field, which did nothing', async () => {
    const other = await server.createMerchant({ business_name: 'Misspells' });
    await send('POST', '/v2/payments', other.token, payment({ delay_duraton: 'PT1H' }));
    const { page, complaints } = await openConsole(`/console?merchant=${other.id}`);
    await rows(page).filter({ hasText: 'ignored body.delay_duraton' }).click();
    await page.getByRole('alert').filter({ hasText: 'v2.createPayment does not know body.delay_duraton' }).waitFor();
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });

  it('an operation that is missing, which a stub answers from then on', async () => {
    const other = await server.createMerchant({ business_name: 'Seeks customers' });
    await send('GET', '/v2/customers/C1?x=1', other.token);
    const { page, complaints } = await openConsole(`/console?merchant=${other.id}`);
    await page.getByText('A stub can answer it.', { exact: false }).first().waitFor();
    await page.getByRole('button', { name: 'Stub this' }).click();
    const json = page.getByLabel('The stub as JSON');
    const shown = JSON.parse(await json.inputValue());
    expect(shown).toEqual({
      merchant_id: other.id,
      request: { method: 'GET', path: '/v2/customers/C1' },
      response: { status: 200, body: {} },
    });
    await json.fill(JSON.stringify({ ...shown, response: { stauts: 200 } }));
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('response.stauts is not known. Did you mean status?').waitFor();
    await expectAccessible(page);
    await json.fill(JSON.stringify({ ...shown, response: { body: { customer: { id: 'C1' } } } }));
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await json.waitFor({ state: 'detached' });
    expect((await send('GET', '/v2/customers/C1', other.token)).body).toEqual({ customer: { id: 'C1' } });
    await rows(page).nth(1).waitFor(); // a request is listed after its response
    await rows(page).first().click();
    await page.getByText('The response is that of the stub').waitFor();
    await page.getByRole('link', { name: 'Stubs', exact: true }).click();
    await page.getByText('used 1', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Remove GET /v2/customers/C1' }).click();
    await page.getByText('No stubs').waitFor();
    expect((await send('GET', '/v2/customers/C1', other.token)).status).toBe(501);
    expect(complaints).toEqual([]);
  });

  it('a wrong signature', async () => {
    const other = await server.createMerchant({ business_name: 'Unheard' });
    const receiver = await Receiver.open();
    try {
      const body = { subscription: { name: 'Shop', event_types: ['payment.created'], notification_url: receiver.url } };
      const subscribed = await send('POST', '/v2/webhooks/subscriptions', other.token, body);
      const { signature_key } = subscribed.body.subscription;
      // The mistake of the program: it signs the body without the URL in front of it.
      const signs = (text: string) => createHmac('sha256', signature_key).update(text).digest('base64');
      receiver.answering = (response, { text, headers }) =>
        answer(headers['x-square-hmacsha256-signature'] === signs(text) ? 200 : 403, 'wrong signature')(
          response,
          {} as never,
        );
      await send('POST', '/v2/payments', other.token, payment());
      const { page, complaints } = await openConsole(`/console/webhooks?merchant=${other.id}`);
      await page
        .getByRole('list', { name: 'Deliveries' })
        .getByRole('link')
        .filter({ hasText: 'payment.created' })
        .click();
      await page.getByText('wrong signature').waitFor();
      await page.getByText('403', { exact: true }).waitFor();
      const computed = signs(receiver.received[0]?.text ?? '');
      await page.getByLabel('Does your receiver compute another one?').fill(computed);
      await page.getByRole('button', { name: 'Check' }).click();
      await page.getByText('Only the body is signed. Put the notification URL in front of it').waitFor();
      await expectAccessible(page);
      receiver.answering = answer(200);
      await page.getByRole('button', { name: 'Send again' }).click();
      await page.getByText('Attempt 2').waitFor();
      expect(complaints).toEqual([]);
    } finally {
      await receiver.close();
    }
  });
});

describe('what the operator does', () => {
  it('makes a merchant, a token and an authorization, and lets the token expire', async () => {
    const { page, complaints, goTo } = await openConsole('/console/merchants');
    await page.getByRole('button', { name: 'Make a merchant' }).click();
    await page.getByRole('heading', { name: 'The access token' }).waitFor();
    const token = (await page.locator('pre').first().textContent()) ?? '';
    const { body } = await send('GET', '/v2/merchants', token);
    const [{ id }] = body.merchant;
    await page.getByRole('button', { name: 'Done' }).click();
    await goTo(`/console/merchants/${id}`);
    await page.getByRole('button', { name: 'Create a token' }).click();
    await page.getByRole('combobox', { name: 'Permissions' }).fill('PAYMENTS_READ');
    await page.getByRole('option', { name: 'PAYMENTS_READ' }).click();
    await page.keyboard.press('Escape');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const limited = (await page.locator('pre').first().textContent()) ?? '';
    expect([
      (await send('GET', '/v2/payments', limited)).status,
      (await send('GET', '/v2/employees', limited)).status,
    ]).toEqual([200, 403]);
    await page.getByRole('button', { name: 'Done' }).click();
    await page
      .getByRole('button', { name: /^Actions for/ })
      .last()
      .click();
    await page.getByRole('menuitem', { name: 'Expire now' }).click();
    await page.getByRole('cell', { name: 'expired' }).waitFor();
    expect((await send('GET', '/v2/payments', limited)).status).toBe(401);
    await page.getByRole('button', { name: 'Authorize an application' }).click();
    await page.getByRole('button', { name: 'Authorize', exact: true }).click();
    const secrets = JSON.parse((await page.locator('pre').first().textContent()) ?? '{}');
    expect((await send('GET', '/v2/payments', secrets.access_token)).status).toBe(200);
    expect(complaints).toEqual([]);
  });

  it('takes a snapshot of a merchant and resets it, after a question', async () => {
    const own = await server.createMerchant({ clock: { now: '2020-02-26T10:00:00Z', frozen: true } });
    const { page, complaints } = await openConsole(`/console/merchants/${own.id}`);
    await page.getByText('Keep a copy of all records').waitFor();
    expect(await page.getByRole('button', { name: 'Reset' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Take a snapshot' }).click();
    await page.getByText(/^Taken .* records, clock at/).waitFor();
    await send('POST', '/v2/payments', own.token, payment());
    await page.getByRole('button', { name: 'Reset' }).click();
    await page.getByText('Everything after it is lost').waitFor();
    await expectAccessible(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click();
    await page.getByText('The merchant is as it was at the snapshot').waitFor();
    expect((await send('GET', '/v2/payments', own.token)).body).toEqual({});
    await page.getByRole('button', { name: 'Take a snapshot' }).click();
    await page.getByRole('button', { name: 'Replace it' }).click();
    await page.getByText('The snapshot is replaced').waitFor();
    expect(complaints).toEqual([]);
  });

  it('moves a clock and reads what became due, and declines the next card', async () => {
    const own = await server.createMerchant({ clock: { now: '2020-02-26T10:00:00Z', frozen: true } });
    await send('POST', '/v2/payments', own.token, payment({ autocomplete: false }));
    const { page, complaints } = await openConsole(`/console/time?merchant=${own.id}`);
    await page.getByText('An uncaptured payment expires').waitFor();
    await page.getByRole('button', { name: '7 days' }).click();
    await page.getByRole('heading', { name: 'What became due in between' }).waitFor();
    await page.getByText('An uncaptured payment expires').first().waitFor();
    await page.getByRole('link', { name: 'Faults' }).click();
    await page.getByRole('combobox', { name: 'Reason' }).fill('INSUFFICIENT_FUNDS');
    await page.getByRole('option', { name: 'INSUFFICIENT_FUNDS' }).click();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('1 left').waitFor();
    const declined = await send('POST', '/v2/payments', own.token, payment());
    expect(declined.body.errors[0].code).toBe('INSUFFICIENT_FUNDS');
    await page.getByText('1 left').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Switch on' }).click();
    await page.getByText('1 left').waitFor();
    expect((await send('GET', '/v2/payments', own.token)).status).toBe(503);
    expect(complaints).toEqual([]);
  });

  it('adds a receiver, switches it off and deletes it', async () => {
    const merchant = await server.createMerchant({ business_name: 'Heard' });
    const receiver = await Receiver.open();
    onTestFinished(() => receiver.close());
    const { page, complaints } = await openConsole(`/console/webhooks?merchant=${merchant.id}`);
    await page.getByRole('button', { name: 'Add a receiver' }).click();
    await page.getByLabel('Address').fill('localhost');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('notification_url', { exact: false }).waitFor(); // the server's message
    await page.getByLabel('Address').fill(receiver.url);
    await page.getByRole('combobox', { name: 'Kinds of events' }).click();
    await page.getByRole('option', { name: 'payment.created' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const isOn = page.getByRole('switch', { name: `Send events to ${receiver.url}` });
    await isOn.waitFor();
    await send('POST', '/v2/payments', merchant.token, payment());
    const row = page.getByRole('list', { name: 'Deliveries' }).getByRole('link').filter({ hasText: 'payment.created' });
    await row.filter({ hasText: receiver.url.replace('http://', '') }).waitFor();
    await expectAccessible(page);
    await isOn.press('Space');
    await page.getByText('v2, off').waitFor();
    expect(await isOn.isChecked()).toBe(false);
    await page.getByRole('button', { name: `Delete ${receiver.url}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await isOn.waitFor({ state: 'detached' });
    await row.filter({ hasText: 'The receiver was deleted' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('triggers an event, with a value of its own, and sees where it went', async () => {
    const merchant = await server.createMerchant({ business_name: 'Triggered' });
    await server.operator('POST', `/api/sandbox/merchants/${merchant.id}/receiver`, {});
    const { page, complaints } = await openConsole(`/console/webhooks?merchant=${merchant.id}`);
    await page.getByRole('button', { name: 'Trigger an event' }).click();
    const values = page.getByLabel('Values to set');
    await values.fill('{"payment.amont": 500}');
    await page.getByRole('button', { name: 'Trigger', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: 'a request for a payment has no amont' }).waitFor();
    await expectAccessible(page);
    await values.fill('{"payment.amount_money.amount": 523}');
    await page.getByRole('button', { name: 'Trigger', exact: true }).click();
    await page.getByText('payment.created has happened, and goes to 1 receiver').waitFor();
    const row = page.getByRole('list', { name: 'Deliveries' }).getByRole('link').filter({ hasText: 'payment.created' });
    await row.filter({ hasText: '/api/sandbox/receiver/accepting' }).waitFor();
    const { body } = await send('GET', '/v2/payments', merchant.token);
    expect(body.payments[0].amount_money).toEqual({ amount: 523, currency: 'USD' });
    expect(complaints).toEqual([]);
  });

  it('copies a request as curl, folds long bodies, and moves the bar by keyboard', async () => {
    const own = await server.createMerchant();
    for (let count = 0; count < 4; count++) await send('POST', '/v2/payments', own.token, payment());
    await send('GET', '/v2/payments', own.token);
    const { page, complaints } = await openConsole(`/console?merchant=${own.id}`);
    await rows(page).nth(4).waitFor(); // a request is listed after its response
    await rows(page).first().click();
    await page.getByRole('button', { name: /^Show all \d+ lines$/ }).click();
    await page.getByRole('button', { name: 'Fold' }).click();
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const curl = await page.evaluate(() => navigator.clipboard.readText());
    expect(curl).toContain(`curl '${server.baseUrl}/v2/payments'`);
    expect(curl).not.toContain(own.token);
    const bar = page.getByRole('separator', { name: 'Width of the list' });
    const before = Number(await bar.getAttribute('aria-valuenow'));
    await bar.press('ArrowRight');
    expect(Number(await bar.getAttribute('aria-valuenow'))).toBe(before + 5);
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: '4xx refused' }).click();
    await page.getByText('No such request').waitFor();
    expect(page.url()).toContain('status=4xx');
    expect(complaints).toEqual([]);
  });
});

describe('trying an operation', () => {
  /** Filters the list to one operation: drawing all of them takes longer than trying one. */
  const addressOf = ({ id }: TestMerchant, operation: string) =>
    `/console/try?merchant=${id}&operation=${operation}&text=${operation}`;

  it("sends an example with the merchant's own ids, and leads to the request", async () => {
    const own = await server.createMerchant({ business_name: 'Tried' });
    const location = (await send('GET', '/v2/locations', own.token)).body.locations[0].id;
    const { page, complaints } = await openConsole(`/console/try?merchant=${own.id}`);
    await page.getByLabel('Search operations').fill('payments charge');
    await page.getByRole('link', { name: /v2\.createPayment/ }).click();
    await page.waitForURL(/operation=v2\.createPayment/);
    expect(await page.getByLabel('location_id').inputValue()).toBe(location);
    await expectAccessible(page);
    await page.getByRole('textbox', { name: 'note' }).fill('Typed in the form');
    await page.getByText('JSON', { exact: true }).click();
    const json = page.getByLabel('Body as JSON');
    const typed = await json.inputValue();
    expect(JSON.parse(typed).note).toBe('Typed in the form');
    await json.fill(typed.replace('Typed in the form"', 'Typed in the form'));
    await page.getByText('This is not JSON.').waitFor();
    await page.getByRole('button', { name: 'Send', exact: true }).click(); // nothing is sent
    await json.fill(typed.replace('1000', '1234'));
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('"amount": 1234').first().waitFor();
    await expectAccessible(page);
    const { payments } = (await send('GET', '/v2/payments', own.token)).body;
    expect(payments).toMatchObject([{ note: 'Typed in the form', amount_money: { amount: 1234 } }]);
    for (const [tab, part] of [
      ['curl', 'curl -X POST'],
      ['JavaScript (square)', 'client.payments.create('],
      ['Python', 'urllib.request'],
    ] as const) {
      await page.getByRole('tab', { name: tab }).click();
      await page.getByRole('button', { name: `Copy the request as ${tab}` }).click();
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      expect(copied).toContain(part);
      expect(copied).toMatch(/amount"?: 1234|amount\W+1234/);
    }
    await page.getByRole('link', { name: 'Show it in the list of requests' }).click();
    await page.getByRole('heading', { level: 2, name: 'v2.createPayment' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('begins with a recorded request, which can be changed', async () => {
    const merchant = await server.createMerchant({ business_name: 'Once more' });
    const note = 'two coffees';
    await send('POST', '/v2/payments', merchant.token, payment({ note, source_id: 'cnon:card-nonce-declined' }));
    const { page, complaints } = await openConsole(`/console?merchant=${merchant.id}`);
    await rows(page).first().click();
    await page.getByRole('link', { name: 'Change and send' }).click();
    const source = page.getByLabel('source_id');
    await source.waitFor();
    expect([await source.inputValue(), await page.getByLabel('note').inputValue()]).toEqual([
      'cnon:card-nonce-declined',
      note,
    ]);
    await source.fill('cnon:card-nonce-ok');
    await page.getByRole('textbox', { name: 'idempotency_key' }).fill('another-key');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('link', { name: 'Show it in the list of requests' }).waitFor();
    const { body } = await send('GET', '/v2/payments', merchant.token);
    expect(body.payments).toMatchObject([
      { status: 'COMPLETED', note },
      { status: 'FAILED', note },
    ]);
    expect(complaints).toEqual([]);
  });

  it('sends as the operator, as the page of a store, and as a register, each with a credential that it finds or makes', async () => {
    const own = await server.createMerchant();
    const [location_id] = own.locationIds;
    const item = { name: 'Mug', price_money: { amount: 1200 } };
    const store = { location_id, shipping_money: { amount: 0 }, promo_codes: [], items: [item] };
    expect((await server.operator('POST', `/api/sandbox/merchants/${own.id}/stores`, store)).status).toBe(200);
    const address = (operation: string) => addressOf(own, operation);
    const { page, complaints, goTo } = await openConsole(address('sandbox.changeClock'));
    const sendIt = () => page.getByRole('button', { name: 'Send', exact: true }).click();
    expect(await page.getByLabel('merchant_id').inputValue()).toBe(own.id);
    await sendIt();
    await page.getByText('"offset_ms": 864').waitFor(); // a day
    const rule = { effect: 'DECLINE', code: 'INSUFFICIENT_FUNDS' };
    const added = await server.operator('POST', `/api/sandbox/merchants/${own.id}/processor-rules`, rule);
    await goTo(address('sandbox.removeProcessorRule'));
    await expect.poll(() => page.getByLabel('rule_id').inputValue()).toBe(added.body.rule.id);
    await goTo(address('checkout.priceOrder'));
    await page.getByLabel('Publishable key').waitFor();
    await sendIt();
    await page.getByText('"amount": 1200').first().waitFor();
    await goTo(address('checkout.retrieveOrder')); // an order is placed before
    await page.getByLabel('order_token').waitFor();
    await sendIt();
    await page.getByText('"state": "PENDING"').waitFor();
    await goTo(address('register.listTeam'));
    await page.getByLabel('Employee session').waitFor();
    await sendIt();
    await page.getByText('Casey').first().waitFor();
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });

  it('runs the example of every operation of registers, at the register of a chosen location', async () => {
    const own = await server.createMerchant({ locations: [{ name: 'Harbour' }, { name: 'Market' }] });
    const address = (operation: string) => addressOf(own, operation);
    const { page, complaints, goTo } = await openConsole(`/console/try?merchant=${own.id}`);
    const failed: string[] = [];
    for (const { name } of operationsOn('register')) {
      const path = `${address(`register.${name}`)}&location=${own.locationIds[1]}`;
      await page.evaluate((to) => history.pushState({}, '', to), path); // each region has a name of its own
      const button = page.locator(`section[aria-label="register.${name}"] [type="submit"]`); // a role takes longer to find
      await button.waitFor(); // what has to be there first is made before
      const [response] = await Promise.all([
        page.waitForResponse((each) => each.url().includes('/api/register/')),
        button.click(),
      ]);
      if (response.status() !== 200) failed.push(`${name}: ${response.status()} ${await response.text()}`);
    }
    expect(failed).toEqual([]);
    await expectAccessible(page);
    const [device] = await server.database.sql<{ locationId: string }[]>`
      select location_id from devices where merchant_id = ${own.id}`;
    expect(device?.locationId).toBe(own.locationIds[1]);
    await goTo(`/console/try?merchant=${own.id}&operation=register.showDevice`);
    await page.getByRole('combobox', { name: 'Register' }).click();
    await page.getByRole('option', { name: 'Try it, Market' }).click();
    await page.waitForURL(/location=/);
    await expectAccessible(page);
    // The console requests the page of the store to find out whether there is one.
    const noStore = (complaint: string) => complaint.includes(`404 (Not Found) ${server.baseUrl}/store/`);
    expect(complaints.filter((each) => !noStore(each))).toEqual([]);
  });

  it('opens from its address on a phone in the dark, with a limited token, and with an application', async () => {
    const own = await server.createMerchant();
    const address = `/console/try?merchant=${own.id}&operation=v2.listPayments`;
    const { page, complaints } = await enterConsole(browser, server, address, { ...PHONE, colorScheme: 'dark' });
    onTestFinished(() => page.context().close());
    await page.getByLabel('Access token').fill(await server.createToken(own.id, ['EMPLOYEES_READ']));
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('403', { exact: true }).waitFor();
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await page.getByRole('button', { name: 'All operations' }).click();
    await expectAccessible(page);
    await page.getByRole('link', { name: /oauth2\.obtainToken/ }).click();
    await page.getByRole('button', { name: 'Make an application' }).click();
    await page.getByText('An application is made').waitFor();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('"token_type": "bearer"').waitFor();
    await expectNoSidewaysScroll(page);
    expect(complaints).toEqual([]);
  });
});
