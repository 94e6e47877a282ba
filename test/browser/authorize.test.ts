/** The authorization page in a real browser, with an application that uses the published client. */
import type { Page } from 'playwright-core';
import { SquareError } from 'square';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PERMISSION_DESCRIPTIONS } from '../../src/access/oauth/permission-descriptions.js';
import { PERMISSIONS } from '../../src/identity/permissions.js';
import { pollUntil } from '../support/clock.js';
import { PASSWORD } from '../support/dashboard.js';
import { createApplication, createOwner, type TestApplication, type TestOwner } from '../support/oauth.js';
import { PATIENCE_MS, RealBrowser, type Visitor } from '../support/real-browser.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { ConnectedApp } from './connected-app.js';

const SCOPE = 'MERCHANT_PROFILE_READ PAYMENTS_READ PAYMENTS_WRITE';
const WORDS = [
  PERMISSION_DESCRIPTIONS.MERCHANT_PROFILE_READ,
  PERMISSION_DESCRIPTIONS.PAYMENTS_READ,
  PERMISSION_DESCRIPTIONS.PAYMENTS_WRITE,
];

let server: TestServer;
let browser: RealBrowser;
let app: ConnectedApp;
let application: TestApplication;
let owner: TestOwner;
/**
 * All tests share this page: a page that was on two sites cannot be reused by other visitors, and a new one takes most of the time of a
 * test. The owner stays signed in there, unless a test is about signing in.
 */
let shared: Visitor;

beforeAll(async () => {
  [server, browser, app] = [await startTestServer(), await RealBrowser.open(), await ConnectedApp.open()];
  shared = await browser.visitor();
  application = await createApplication(server, [app.redirectUrl]);
  app.configure(server.baseUrl, application);
  owner = await createOwner(server);
});
afterAll(async () => {
  await browser.close();
  await app.close();
  await server.stop();
});
beforeEach(() => {
  app.arrivals.length = 0;
  app.tokens = undefined;
  app.ask({ scope: SCOPE });
  shared.complaints.length = 0;
});

async function openApp(visitor = shared): Promise<Visitor> {
  await visitor.page.goto(app.url);
  return visitor;
}

/** The shared page with nobody signed in. */
async function openAppSignedOut(): Promise<Visitor> {
  await shared.page.context().clearCookies();
  return openApp();
}

/** Creates a new owner, who has allowed nothing yet, for this test and those after it. */
async function changeOwner(): Promise<void> {
  owner = await createOwner(server);
  await shared.page.context().clearCookies();
}

async function signIn(page: Page, password: string = PASSWORD): Promise<void> {
  await page.getByLabel('Email').fill(owner.email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** From the application's link to the consent page. */
async function goToQuestion(from?: Visitor): Promise<Visitor> {
  const visitor = await openApp(from);
  const { page } = visitor;
  await page.getByRole('link', { name: 'Connect your business' }).click();
  const title = await page.getByRole('heading', { level: 1, name: `llow ${application.name}` }).textContent();
  if (title?.startsWith('Sign in')) await signIn(page);
  await expectHeading(page, `Allow ${application.name}?`);
  return visitor;
}

async function expectHeading(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
}

/** Waits, because the browser sets the focus only with the first frame that it draws. */
async function untilFocused(page: Page, label: string): Promise<void> {
  await page.getByLabel(label).and(page.locator(':focus')).waitFor();
}

const click = (page: Page, name: 'Allow' | 'Deny'): Promise<void> =>
  page.getByRole('button', { name, exact: true }).click();

/** The merchant that the application's token belongs to. */
async function connectedMerchant(): Promise<string | undefined> {
  return (await app.client().oAuth.retrieveTokenStatus()).merchantId;
}

/** All events that the application received, as soon as there are this many. */
function untilReceived(count: number): Promise<typeof app.received> {
  return pollUntil(
    async () => app.received,
    ({ length }) => length >= count,
    PATIENCE_MS,
  );
}

describe('an application and an owner with a browser', () => {
  it('connect, make payments, and disconnect', async () => {
    const { page, complaints } = await openAppSignedOut();
    await page.getByRole('link', { name: 'Connect your business' }).click();
    await expectHeading(page, `Sign in to allow ${application.name}`);
    await signIn(page);
    await expectHeading(page, `Allow ${application.name}?`);
    expect(await page.getByRole('listitem').allInnerTexts()).toEqual(WORDS);
    expect(await page.getByRole('main').innerText()).toContain(owner.email);
    await click(page, 'Allow');
    await expectHeading(page, 'Connected');
    expect(complaints).toEqual([]);
    expect(await connectedMerchant()).toBe(owner.merchant.id);

    await app.subscribe(['payment.created', 'oauth.authorization.revoked']);
    const { payment } = await app.client().payments.create({
      sourceId: 'cnon:card-nonce-ok',
      idempotencyKey: 'the-first-sale',
      amountMoney: { amount: 1250n, currency: 'USD' },
    });
    expect(payment?.status).toBe('COMPLETED');
    const before = app.tokens?.accessToken;
    await app.refresh();
    expect(app.tokens?.accessToken).not.toBe(before);
    expect((await app.client().payments.get({ paymentId: payment?.id ?? '' })).payment?.id).toBe(payment?.id);

    // An application without an authorization receives no further events, not even those that are already queued.
    expect(await untilReceived(1)).toHaveLength(1);
    const revoked = await owner.call('DELETE', `/api/dashboard/authorizations/${application.id}`);
    expect(revoked.status).toBe(200);
    const refused = await app
      .client()
      .locations.list()
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(SquareError);
    expect((refused as SquareError).statusCode).toBe(401);
    const received = await untilReceived(2);
    expect(received.map(({ type, genuine }) => [type, genuine])).toEqual([
      ['payment.created', true],
      ['oauth.authorization.revoked', true],
    ]);
    expect(received[0]?.subjectId).toBe(payment?.id);
  });

  it('are not connected when the owner denies access', async () => {
    const { page, complaints } = await goToQuestion();
    await click(page, 'Deny');
    await expectHeading(page, 'Not connected: access_denied');
    expect([app.tokens, complaints]).toEqual([undefined, []]);
    const { body } = await owner.call('GET', '/api/dashboard/authorizations');
    expect(body.authorizations).toEqual([]);
  });
});

describe('the page in a browser', () => {
  it('shows that a password is wrong, and accepts the right one', async () => {
    const { page, complaints } = await openAppSignedOut();
    await page.getByRole('link').click();
    await signIn(page, 'not the password');
    expect(await page.getByRole('alert').innerText()).toBe('The email or the password is wrong.');
    expect(await page.getByLabel('Email').inputValue()).toBe(owner.email);
    await untilFocused(page, 'Password');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await click(page, 'Allow');
    await expectHeading(page, 'Connected');
    expect(complaints).toEqual([expect.stringContaining('401')]); // the browser's own message about the status
  });

  it('can be used without a mouse', async () => {
    const { page, complaints } = await openAppSignedOut();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expectHeading(page, `Sign in to allow ${application.name}`);
    await untilFocused(page, 'Email');
    await page.keyboard.type(owner.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await expectHeading(page, `Allow ${application.name}?`);
    const passed: string[] = [];
    while (passed.at(-1) !== 'Allow' && passed.length < 10) {
      await page.keyboard.press('Tab');
      passed.push(await page.locator(':focus').innerText());
    }
    expect(passed).toEqual(['Sign in as somebody else', 'Allow']);
    await page.keyboard.press('Enter');
    await expectHeading(page, 'Connected');
    expect(complaints).toEqual([]);
  });

  it('works without scripts', async () => {
    const { page } = await goToQuestion(await browser.visitor({ javaScriptEnabled: false }));
    await click(page, 'Allow');
    await expectHeading(page, 'Connected');
    expect(await connectedMerchant()).toBe(owner.merchant.id);
  });

  it('connects once when Allow is clicked twice', async () => {
    await changeOwner();
    const { page } = await goToQuestion();
    await page.getByRole('button', { name: 'Allow' }).dblclick();
    await expectHeading(page, 'Connected');
    expect(await connectedMerchant()).toBe(owner.merchant.id);
    const { body } = await owner.call('GET', '/api/dashboard/authorizations');
    expect(body.authorizations).toHaveLength(1);
  });

  it('asks again when the owner navigates back, and accepts a second consent', async () => {
    const { page, complaints } = await goToQuestion();
    await click(page, 'Allow');
    await expectHeading(page, 'Connected');
    const first = app.arrivals.at(-1)?.['code'];
    await page.goBack();
    await expectHeading(page, `Allow ${application.name}?`);
    await click(page, 'Allow');
    await expectHeading(page, 'Connected');
    expect(app.arrivals.at(-1)?.['code']).not.toBe(first);
    expect(await connectedMerchant()).toBe(owner.merchant.id);
    expect(complaints).toEqual([]);
  });

  it('remembers who is signed in, unless session=false', async () => {
    const { page } = await openAppSignedOut();
    await page.getByRole('link').click();
    await signIn(page);
    await expectHeading(page, `Allow ${application.name}?`);
    await page.goto(app.url);
    await page.getByRole('link').click();
    await expectHeading(page, `Allow ${application.name}?`);

    app.ask({ scope: SCOPE, session: 'false' });
    await page.goto(app.url);
    await page.getByRole('link').click();
    await expectHeading(page, `Sign in to allow ${application.name}`);
    owner = await createOwner(server);
    await signIn(page);
    await click(page, 'Allow');
    await expectHeading(page, 'Connected');
    expect(await connectedMerchant()).toBe(owner.merchant.id);
  });

  it('lets another owner sign in', async () => {
    const { page } = await goToQuestion();
    owner = await createOwner(server);
    await page.getByRole('link', { name: 'Sign in as somebody else' }).click();
    await signIn(page);
    await click(page, 'Allow');
    await expectHeading(page, 'Connected');
    expect(await connectedMerchant()).toBe(owner.merchant.id);
  });

  it('cannot be shown in a frame', async () => {
    const { page } = shared;
    await page.context().clearCookies();
    await page.goto(`${app.url}/frame`);
    const framed = page.frame({ name: 'framed' });
    expect(framed?.url()).toMatch(/^chrome-error:/);
    expect(await framed?.getByLabel('Password').count()).toBe(0);
  });

  it('sends the application no referrer', async () => {
    const { page } = await goToQuestion();
    const [request] = await Promise.all([page.waitForRequest(`${app.redirectUrl}?*`), click(page, 'Allow')]);
    expect(Object.keys(await request.allHeaders())).not.toContain('referer');
    expect(Object.keys(await request.allHeaders())).not.toContain('cookie');
  });

  it.each([
    ['a phone', 320],
    ['a desk', 1280],
  ])('fits on the screen of %s, even with long words', async (_, width) => {
    const name = `${'Wizardry'.repeat(12)} & <Sons>`;
    const wordy = await createApplication(server, [app.redirectUrl], name);
    const { page, complaints } = shared;
    await page.context().clearCookies();
    await page.setViewportSize({ width, height: 640 });
    const query = new URLSearchParams({ client_id: wordy.id, scope: PERMISSIONS.join(' ') });
    await page.goto(`${server.baseUrl}/oauth2/authorize?${query}`);
    const overhang = () => page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    expect(await overhang()).toBe(0);
    await signIn(page);
    await expectHeading(page, `Allow ${name}?`);
    expect(await overhang()).toBe(0);
    expect(await page.getByRole('listitem').count()).toBe(PERMISSIONS.length);
    expect(complaints).toEqual([]);
  });
});
