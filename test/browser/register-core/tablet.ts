/** A tablet for tests: a real browser, and the core of the register in its pages. */
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { build } from 'vite';
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
  readonly #turnOn: () => Promise<Page>;
  #first: Page | undefined;

  /** `turnOn` gives an empty page. Its policy must be bypassed: styles and scripts of pages obey it, the core does not. */
  constructor(url: string, script: string, turnOn: () => Promise<Page>) {
    this.#url = url;
    this.#script = script;
    this.#turnOn = turnOn;
  }

  /** Opens the register in a new tab, and turns the tablet on if it is off. */
  async open(): Promise<Page> {
    const page = this.#first ? await this.#first.context().newPage() : await this.#turnOn();
    this.#first ??= page;
    await page.goto(`${this.#url}/register`);
    await this.startCore(page);
    return page;
  }

  async startCore(page: Page): Promise<void> {
    await page.addScriptTag({ content: this.#script });
    await page.evaluate(() => core.startRegister());
  }

  /** Turns it off. */
  async close(): Promise<void> {
    await this.#first?.context().close();
    this.#first = undefined;
  }
}

declare global {
  /** In pages of a tablet. */
  const core: Core;
}
