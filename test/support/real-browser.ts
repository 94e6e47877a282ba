/** A headless Chromium (or compatible browser): one for all test files of a worker, with a context of its own for each visitor. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { findBrowser } from '../../scripts/browser.mjs';
import { returnPage, takePage, watchPage } from './reused-pages.js';

/** For one step on a page. Generous: it costs nothing unless a test fails, and on a busy machine a click can take half a minute. */
export const PATIENCE_MS = 60_000;

/**
 * It runs under root too, and connects only to the pages that a test visits. Pages do not live long enough for optimized scripts to pay off:
 * without the two optimizing compilers, and with more space for new objects so that fewer of them are copied, they take a fifth less CPU
 * time.
 */
const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
  '--js-flags=--no-opt --no-maglev --min-semi-space-size=16 --max-semi-space-size=32',
];

/** Looks for the program once. */
let found: ReturnType<typeof launchOptions> | undefined;

/** The browser ends with the worker, whose signals stay its own. */
function launchOptions() {
  const executablePath = findBrowser();
  return {
    args: FLAGS,
    ...{ timeout: 3 * PATIENCE_MS, handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false },
    ...(executablePath !== undefined && { executablePath }),
  };
}

let running: Promise<Browser> | undefined;

/** Starting one takes a second of CPU time, so the files of a worker share it. */
async function shared(): Promise<Browser> {
  found ??= launchOptions();
  running ??= chromium.launch(found);
  const browser = await running;
  if (browser.isConnected()) return browser;
  running = undefined; // it has crashed
  return shared();
}

/** A person with a separate browser context: no cookies, no history. */
export interface Visitor {
  readonly page: Page;
  /** What the browser has reported so far: console errors, refused resources, policy violations. It grows. */
  readonly complaints: string[];
}

/** The shared browser as one test file uses it. */
export class RealBrowser {
  readonly #browser: Browser;
  readonly #contexts = new Set<BrowserContext>();
  readonly #visitors = new Map<Page, BrowserContextOptions>();

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  static async open(): Promise<RealBrowser> {
    return new RealBrowser(await shared());
  }

  /** Nothing moves in it. */
  async context(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    const context = await this.#newContext(options);
    this.#contexts.add(context);
    context.on('close', () => this.#contexts.delete(context));
    return context;
  }

  async #newContext(options: BrowserContextOptions): Promise<BrowserContext> {
    const context = await this.#browser.newContext({ reducedMotion: 'reduce', ...options });
    context.setDefaultTimeout(PATIENCE_MS);
    await context.addInitScript(deriveQuickly);
    await context.addInitScript(standStill);
    return context;
  }

  async #newPage(options: BrowserContextOptions): Promise<Page> {
    const page = await (await this.#newContext(options)).newPage();
    watchPage(page);
    return page;
  }

  /** Messages that match `expected` are no complaints. */
  async visitor(options: BrowserContextOptions = {}, expected?: RegExp): Promise<Visitor> {
    const page = (await takePage(options)) ?? (await this.#newPage(options));
    this.#visitors.set(page, options);
    const complaints: string[] = [];
    page.on('console', (message) => {
      const text = `${message.text()} ${message.location().url}`;
      if (['error', 'warning'].includes(message.type()) && !expected?.test(text)) complaints.push(text);
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    return { page, complaints };
  }

  /** Ends one visit before the others. */
  async leave({ page }: Pick<Visitor, 'page'>): Promise<void> {
    const options = this.#visitors.get(page);
    if (options && this.#visitors.delete(page)) await returnPage(page, options);
  }

  /** Ends all visits and closes all contexts of this file, also after a failed test. */
  async close(): Promise<void> {
    for (const context of this.#contexts) await context.close();
    for (const [page, options] of this.#visitors) await returnPage(page, options);
    this.#visitors.clear();
  }
}

/**
 * Runs in the page. A register hashes the passcode with 600,000 rounds at each sign-in, a third of a second of CPU time. The hash is not
 * what these tests are about: test/register/ and a browser with its own profile run all rounds.
 */
function deriveQuickly(): void {
  const derive = SubtleCrypto.prototype.deriveBits;
  SubtleCrypto.prototype.deriveBits = function (algorithm, ...rest) {
    return derive.call(this, { ...(algorithm as Pbkdf2Params), iterations: 1 }, ...rest);
  };
}

/**
 * Runs in the page. The CPU draws every frame of an animation. Where a page ignores the preference for less motion, as placeholders of what
 * is loading do, these frames take a large part of the browser's CPU time. The policy of a page does not apply to such a style sheet.
 */
function standStill(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('*, *::before, *::after { animation: none !important; transition: none !important; }');
  document.adoptedStyleSheets.push(sheet);
}

/** A browser with a profile that survives closing it. */
export class OwnBrowser {
  readonly #profile: string;
  #context: BrowserContext | undefined;

  private constructor(profile: string) {
    this.#profile = profile;
  }

  static async install(): Promise<OwnBrowser> {
    return new OwnBrowser(await mkdtemp(join(tmpdir(), 'tillhouse-profile-')));
  }

  async open(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    found ??= launchOptions();
    this.#context = await chromium.launchPersistentContext(this.#profile, { ...found, ...options });
    this.#context.setDefaultTimeout(PATIENCE_MS);
    return this.#context;
  }

  async close(): Promise<void> {
    await this.#context?.close();
    this.#context = undefined;
  }

  async remove(): Promise<void> {
    await this.close();
    await rm(this.#profile, { recursive: true, force: true });
  }
}
