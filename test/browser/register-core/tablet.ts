/** A tablet for tests: a real browser with a profile that survives closing it, and the core of the register in its pages. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { build } from 'vite';
import { findBrowser } from '../../../scripts/browser.mjs';
import { operations } from '../../../web/build/operations.js';

export type Core = typeof import('./core.js');

const ENTRY = fileURLToPath(new URL('core.ts', import.meta.url));

/** The core as a script that sets `core`. */
export async function bundleCore(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    plugins: [operations()],
    define: { 'process.env.NODE_ENV': '"production"' },
    build: { write: false, minify: false, lib: { entry: ENTRY, formats: ['iife'], name: 'core' } },
  });
  const [{ output }] = built as unknown as [{ output: readonly [{ code: string }] }];
  return output[0].code.replace(/^var core\b|^const core\b/m, 'globalThis.core');
}

export class Tablet {
  readonly #url: string;
  readonly #script: string;
  readonly #profile: string;
  #context: BrowserContext | undefined;

  private constructor(url: string, script: string, profile: string) {
    this.#url = url;
    this.#script = script;
    this.#profile = profile;
  }

  static async buy(url: string, script: string): Promise<Tablet> {
    return new Tablet(url, script, await mkdtemp(join(tmpdir(), 'tillhouse-tablet-')));
  }

  /** Opens the register in a new tab, and starts the browser if it is off. Styles and scripts of pages obey the policy; the core does not. */
  async open(): Promise<Page> {
    const executablePath = findBrowser();
    this.#context ??= await chromium.launchPersistentContext(this.#profile, {
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
      bypassCSP: true,
      ...(executablePath !== undefined && { executablePath }),
    });
    const page = await this.#context.newPage();
    await page.goto(`${this.#url}/register`);
    await this.startCore(page);
    return page;
  }

  async startCore(page: Page): Promise<void> {
    await page.addScriptTag({ content: this.#script });
    await page.evaluate(() => core.startRegister());
  }

  /** Turns the browser off. The profile stays. */
  async close(): Promise<void> {
    await this.#context?.close();
    this.#context = undefined;
  }

  async dispose(): Promise<void> {
    await this.close();
    await rm(this.#profile, { recursive: true, force: true });
  }
}

declare global {
  /** In pages of a tablet. */
  const core: Core;
}
