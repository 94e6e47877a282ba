/** A headless Chromium (or compatible browser) with a new profile that is removed afterwards. */
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { findBrowser } from '../../scripts/browser.mjs';

/** It runs under root too, and connects only to the pages that a test visits. */
const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

/** A person with a separate browser context: no cookies, no history. */
export interface Visitor {
  readonly page: Page;
  /** What the browser has reported so far: console errors, refused resources, policy violations. It grows. */
  readonly complaints: string[];
}

export class RealBrowser {
  readonly #browser: Browser;

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  /** Uses a new profile folder, which is removed when it is closed. */
  static async open(): Promise<RealBrowser> {
    const executablePath = findBrowser();
    const options = { headless: true, args: FLAGS, ...(executablePath !== undefined && { executablePath }) };
    return new RealBrowser(await chromium.launch(options));
  }

  /** What is `expected` is no complaint. */
  async visitor(options: BrowserContextOptions = {}, expected?: RegExp): Promise<Visitor> {
    const context = await this.#browser.newContext(options);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      const text = `${message.text()} ${message.location().url}`;
      if (['error', 'warning'].includes(message.type()) && !expected?.test(text)) complaints.push(text);
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    return { page, complaints };
  }

  /** Closes all contexts, also after a failed test. */
  async clear(): Promise<void> {
    for (const context of this.#browser.contexts()) await context.close();
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }
}
