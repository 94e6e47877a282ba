/** The built pages, which the servers of tests serve. `npm test` has built them; a single test file builds them if they are outdated. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt } from '../../scripts/prepare.mjs';
import { runExclusively } from '../../scripts/run-exclusively.mjs';
import { repository } from './built.js';

export const PAGES = join(repository, 'dist/pages');

export function ensurePages(): void {
  runExclusively('pages', ensureBuilt);
}

/** The built files, without their compressed copies. */
export function listPageFiles(): string[] {
  const names = readdirSync(PAGES, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => /\.(?:js|css|html|svg)$/.test(name));
}

export function readPageFile(name: string): string {
  return readFileSync(join(PAGES, name), 'utf8');
}

/** The assets that a page loads before anything is clicked: those in its HTML, and what they import. */
export function firstLoad(place: string): Set<string> {
  const found = new Set<string>();
  const visit = (name: string): void => {
    if (found.has(name)) return;
    found.add(name);
    if (!name.endsWith('.js')) return;
    for (const [, file] of readPageFile(name).matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g))
      visit(`assets/${file}`);
  };
  for (const [, name] of readPageFile(`${place}/index.html`).matchAll(/(?:src|href)="\/(assets\/[\w.-]+)"/g))
    visit(name ?? '');
  return found;
}
