/** A tablet for tests: a real browser, and the core of the register in its pages. */
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { build, type Plugin } from 'vite';
import { operationsOn } from '../../../src/operations.js';

export type Core = typeof import('./core.js');

const ENTRY = fileURLToPath(new URL('core.ts', import.meta.url));

const OPERATIONS = 'virtual:operations/register';

/** Replaces the plugin of the build, which would load the built server beside the one that runs here. */
function operations(): Plugin {
  const declared = operationsOn('register').map(({ name, method, path }) => [name, { name, method, path }]);
  return {
    name: 'operations',
    resolveId: (id) => (id === OPERATIONS ? `\0${id}` : undefined),
    load: (id) =>
      id === `\0${OPERATIONS}` ? `export const declared = ${JSON.stringify(Object.fromEntries(declared))};` : undefined,
  };
}

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

/** An address of the register's site with almost no page, so that only the core runs there. */
const BARE = '/readyz';
const EMPTY = 'about:blank';

export class Tablet {
  readonly #url: string;
  readonly #script: string;
  readonly #turnOn: () => Promise<Page>;
  #first: Page | undefined;

  /** `turnOn` returns an empty page. Its policy must be bypassed, because the core is injected as an inline script. */
  constructor(url: string, script: string, turnOn: () => Promise<Page>) {
    this.#url = url;
    this.#script = script;
    this.#turnOn = turnOn;
  }

  /** Opens the core in a new tab, and turns the tablet on if it is off. */
  async open(path = BARE): Promise<Page> {
    const page = await this.#newTab();
    await page.goto(this.#url + path);
    await this.startCore(page);
    return page;
  }

  async #newTab(): Promise<Page> {
    this.#first ??= await this.#turnOn();
    return this.#first.url() === EMPTY ? this.#first : this.#first.context().newPage();
  }

  async startCore(page: Page): Promise<void> {
    await page.addScriptTag({ content: this.#script });
    await page.evaluate(() => core.startRegister());
  }

  /** Closes all tabs. The tablet stays on, and stays paired. */
  async closeTabs(): Promise<void> {
    for (const page of this.#first?.context().pages() ?? []) if (page !== this.#first) await page.close();
    await this.#first?.goto(EMPTY);
  }

  /** Turns it off. */
  async close(): Promise<void> {
    await this.#first?.context().close();
    this.#first = undefined;
  }
}

declare global {
  /** The global variable in pages of a tablet. */
  const core: Core;
}
