/** `npm run screenshots`: takes the pictures of pages that the README and the docs show, of a new demo business. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBrowser } from './browser.mjs';
import { ensureBuilt, ensureInstalled, root } from './prepare.mjs';

ensureInstalled();
ensureBuilt();
const { chromium } = await import('playwright-core');

const IMAGES = join(root, 'docs', 'images');
const DESKTOP = { viewport: { width: 1280, height: 800 } };
const TABLET = { viewport: { width: 1180, height: 820 } };
const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };

/** `follow`: the first link of the table on that page is opened. */
const PICTURES = [
  { name: 'dashboard-reports', path: '/dashboard/reports', options: DESKTOP },
  { name: 'dashboard-sale', path: '/dashboard/sales?kind=REGISTER&refunded=true', follow: true, options: DESKTOP },
  { name: 'dashboard-orders', path: '/dashboard/orders', options: DESKTOP },
  { name: 'dashboard-catalogue-dark', path: '/dashboard/catalogue', options: { ...DESKTOP, colorScheme: 'dark' } },
  { name: 'dashboard-reports-phone', path: '/dashboard/reports?range=7d', options: PHONE },
];

const dataDir = mkdtempSync(join(tmpdir(), 'tillhouse-screenshots-'));
const server = spawn(process.execPath, [join(root, 'dist/main.js'), 'serve', '--port', '0', '--data-dir', dataDir], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const stopped = once(server, 'exit');
try {
  const url = await readUrl(server.stdout);
  mkdirSync(IMAGES, { recursive: true });
  const browser = await chromium.launch({ executablePath: findBrowser(), args: ['--no-sandbox', '--disable-gpu'] });
  for (const picture of PICTURES) await take(browser, url, picture);
  await takeRegister(browser, url);
  await takeStore(browser, url);
  await takeConsole(browser, url);
  await takeDocs(browser, url);
  await browser.close();
} finally {
  server.kill('SIGTERM');
  await stopped;
  rmSync(dataDir, { recursive: true, force: true });
}

/** The address in the first line that the server prints. */
async function readUrl(output) {
  let text = '';
  for await (const chunk of output) {
    text += chunk;
    const [, url] = /ready at (\S+)/.exec(text) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error('the server did not start');
}

async function take(browser, url, { name, path, follow, options }) {
  const context = await browser.newContext({ locale: 'en-US', ...options });
  const page = await context.newPage();
  await page.goto(url);
  await page.getByRole('button', { name: 'Enter the demo' }).click();
  await page.waitForURL(`${url}/dashboard`);
  await page.goto(url + path);
  await untilShown(page);
  if (follow) {
    await page.getByRole('table').getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Timeline' }).waitFor();
  }
  await page.waitForTimeout(1500); // charts grow into place
  await page.screenshot({ path: join(IMAGES, `${name}.png`) });
  await context.close();
}

/** The console with a payment that a program made twice. */
async function takeConsole(browser, url) {
  const { access_token: token } = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'));
  const send = (method, path, body) =>
    fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
  const payment = {
    source_id: 'cnon:card-nonce-ok',
    amount_money: { amount: 1840, currency: 'USD' },
    note: 'two coffees',
  };
  for (const path of ['/v2/locations', '/v2/payments?limit=5', '/v2/paymentz', '/v1/me/employees'])
    await send('GET', path);
  const declined = { ...payment, source_id: 'cnon:card-nonce-declined', idempotency_key: 'declined' };
  await send('POST', '/v2/payments', declined);
  for (const idempotency_key of ['first', 'second'])
    await send('POST', '/v2/payments', { ...payment, idempotency_key });
  const context = await browser.newContext({ locale: 'en-US', ...DESKTOP });
  const page = await context.newPage();
  await page.goto(`${url}/console`);
  await page.getByRole('button', { name: 'Open the console' }).click();
  await page.getByRole('list', { name: 'Requests' }).getByRole('link').first().click();
  await page.getByText('Possible mistake').waitFor();
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(IMAGES, 'console.png') });
  await takeTry(page, url);
  await context.close();
}

/** An operation with its example, and what the server responded. */
async function takeTry(page, url) {
  await page.goto(`${url}/console/try?operation=v2.getPayment`);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('heading', { name: 'Response', exact: true }).waitFor();
  await page.getByRole('heading', { name: 'v2.getPayment' }).scrollIntoViewIfNeeded();
  await page.waitForTimeout(500);
  await page.screenshot({ path: join(IMAGES, 'console-try.png') });
}

/** The API reference at an operation, with its example. */
async function takeDocs(browser, url) {
  const context = await browser.newContext({ locale: 'en-US', ...DESKTOP });
  const page = await context.newPage();
  await page.goto(`${url}/docs`);
  await page.getByRole('button', { name: /search/i }).click();
  await page.getByRole('combobox').fill('createPayment');
  await page
    .getByRole('option', { name: /createPayment/ })
    .first()
    .click();
  await page.getByText('"cnon:card-nonce-ok"').first().waitFor();
  await page.waitForTimeout(1500); // it scrolls to the operation
  await page.screenshot({ path: join(IMAGES, 'docs.png') });
  await context.close();
}

/** The demo's online store, with something in the cart. */
async function takeStore(browser, url) {
  const context = await browser.newContext({ locale: 'en-US', ...DESKTOP });
  const page = await context.newPage();
  const { location_ids: locations } = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'));
  await page.goto(`${url}/store/${locations[0]}`);
  await untilShown(page);
  await page.getByRole('button', { name: 'Add Enamel mug' }).click();
  await page.waitForTimeout(2500); // until it no longer says that it was added
  await page.screenshot({ path: join(IMAGES, 'store.png') });
  await context.close();
}

/** The register of the demo, with a sale that is being rung up. */
async function takeRegister(browser, url) {
  const context = await browser.newContext({ locale: 'en-US', ...TABLET });
  const page = await context.newPage();
  const tap = (name) => page.getByRole('button', { name }).first().click();
  await page.goto(`${url}/register`);
  await tap("Use the demo's register");
  await tap(/^Priya/);
  const { register } = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'));
  const { passcode } = register.employees.find(({ name }) => name.startsWith('Priya'));
  await page.keyboard.type(passcode);
  await tap('Sign in');
  for (const item of [/^Enamel mug/, /^Gift box/, /^Juniper syrup/]) await tap(item);
  await page.waitForTimeout(1500);
  await page.screenshot({ path: join(IMAGES, 'register.png') });
  await context.close();
}

async function untilShown(page) {
  await page.locator('[data-state="full"]').first().waitFor();
  await page.waitForFunction(() => document.querySelector('main [role="status"]') === null);
}
