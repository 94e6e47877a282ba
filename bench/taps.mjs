/** `npm run bench -- --taps`: measures the time from a tap on an item to the paint that shows it in the cart, with 500 items. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { findBrowser } from '../scripts/browser.mjs';
import { startServer } from './support/processes.mjs';

const ITEMS = 500;
const TAPS = 300;
const WARM_UP_TAPS = 20;
/** The cart is emptied after so many taps, because a cart with hundreds of lines is unusual. */
const TAPS_PER_SALE = 20;
const BAR_MS = 50;

/** Runs in the page. A message that is sent before a paint is handled right after it. */
const MEASURE = `
  globalThis.times = [];
  addEventListener('click', ({ timeStamp }) => {
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => times.push(performance.now() - timeStamp);
      port2.postMessage(undefined);
    });
  }, true);`;

export async function benchTaps() {
  const server = await startServer();
  const browser = await chromium.launch({ executablePath: findBrowser(), args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const demo = JSON.parse(await readFile(join(server.dataDir, 'demo.json'), 'utf8'));
    await fillCatalogue(demo);
    const page = await openRegister(browser, demo);
    console.log(`${ITEMS} items, ${TAPS} taps, from tap to paint in ms:`);
    report(`an item (median at most ${BAR_MS})`, await tapItems(page));
    report('something that does nothing, for comparison', await tapNothing(page));
  } finally {
    await browser.close();
    await server.stop();
  }
}

function report(name, times) {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(1);
  console.log(`${name}: median ${at(0.5)}, 95 % below ${at(0.95)}, longest ${at(1)}`);
}

async function fillCatalogue({ base_url: baseUrl, dashboard }) {
  const send = (path, body, cookie) =>
    fetch(`${baseUrl}/api/dashboard/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: baseUrl, ...(cookie && { cookie }) },
      body: JSON.stringify(body),
    });
  const signedIn = await send('session', dashboard);
  const cookie = signedIn.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  for (let number = 1; number <= ITEMS; number++) {
    const variations = [{ name: 'Regular', price_money: { amount: 100 + number, currency: 'USD' } }];
    const made = await send('catalogue/items', { name: `Thing ${number}`, online: false, variations }, cookie);
    if (!made.ok) throw new Error(`an item was not created: ${await made.text()}`);
  }
}

async function openRegister(browser, { base_url: baseUrl, register }) {
  const context = await browser.newContext({ viewport: { width: 1180, height: 820 }, locale: 'en-US', hasTouch: true });
  const page = await context.newPage();
  const tap = (name) => page.getByRole('button', { name }).first().click();
  const [{ name, passcode }] = register.employees;
  await page.goto(`${baseUrl}/register`);
  await tap("Use the demo's register");
  await tap(new RegExp(`^${name.split(' ')[0]}`));
  await page.keyboard.type(passcode);
  await tap('Sign in');
  await page.getByRole('button', { name: /^Thing 500/ }).waitFor();
  return page;
}

async function tapItems(page) {
  await page.evaluate(MEASURE);
  const tiles = page.getByRole('region', { name: 'Items' }).getByRole('button', { name: /^Thing/ });
  for (let tap = 0; tap < WARM_UP_TAPS + TAPS; tap++) {
    if (tap === WARM_UP_TAPS) await page.evaluate(() => globalThis.times.splice(0));
    await tiles.nth((tap * 37) % ITEMS).tap();
    if (tap % TAPS_PER_SALE === TAPS_PER_SALE - 1) await emptyCart(page);
  }
  return page.evaluate(() => globalThis.times.splice(0));
}

/** The browser paints after it too, so that it shows what the machine takes for a tap at all. */
async function tapNothing(page) {
  const title = page.getByRole('heading', { name: 'New sale' });
  for (let tap = 0; tap < TAPS; tap++) await title.tap();
  return page.evaluate(() => globalThis.times.splice(0));
}

/** What is tapped for that is not measured. */
async function emptyCart(page) {
  const measured = await page.evaluate(() => globalThis.times.length);
  await page.getByRole('button', { name: 'More for this sale' }).click();
  await page.getByRole('menuitem', { name: 'Clear the cart' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Clear/ })
    .click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await page.evaluate((length) => globalThis.times.splice(length), measured);
}
