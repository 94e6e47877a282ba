/** A real browser without a window: Chromium or one of its family, with nothing in it and nothing left of it. */
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { findBrowser } from '../../scripts/browser.mjs';

/** It runs under root too, and speaks to nobody but whom a test visits. */
const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];

/** A person at a browser of their own: no cookies, no history. */
export interface Visitor {
  readonly page: Page;
  /** What the browser complained about: errors in its console, refused resources, broken policies. */
  readonly complaints: readonly string[];
}

export class RealBrowser {
  readonly #browser: Browser;

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  /** In a new folder of its own, which goes when it is closed. */
  static async open(): Promise<RealBrowser> {
    const executablePath = findBrowser();
    const options = { headless: true, args: FLAGS, ...(executablePath !== undefined && { executablePath }) };
    return new RealBrowser(await chromium.launch(options));
  }

  async visitor(options: BrowserContextOptions = {}): Promise<Visitor> {
    const context = await this.#browser.newContext(options);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    return { page, complaints };
  }

  /** Sends everybody away, whether or not a test came to its end. */
  async clear(): Promise<void> {
    for (const context of this.#browser.contexts()) await context.close();
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }
}
