/** Reads the figures of pages and CSV files, as people see them. */
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { type Figures, figuresOf } from '../../src/business/figures/model.js';
import { mistakesIn } from '../support/adds-up.js';

/** Cents of `−$1,234.50`. Undefined for a text that is no amount. */
export function cents(text: string): number | undefined {
  const [, minus, digits = ''] = /^([−-]?)\$?([\d,]+\.\d\d)$/.exec(text.trim()) ?? [];
  return digits === '' ? undefined : (minus ? -1 : 1) * Number(digits.replaceAll(/[,.]/g, ''));
}

/** A label and what stands beside it. */
export type ShownLine = readonly [label: string, value: string];

/** Lines whose last part is the amount, such as those of receipts and reports. */
export async function linesOf(lines: Locator): Promise<ShownLine[]> {
  return lines.evaluateAll((all) =>
    all.flatMap((line): [string, string][] => {
      const [label, value] = [line.firstElementChild, line.lastElementChild];
      return label && value ? [[(label as HTMLElement).innerText, (value as HTMLElement).innerText]] : [];
    }),
  );
}

/** Without the count that may stand behind a name. */
const nameOf = (label: string): string => label.replace(/ \(\d+\)$/, '');

export function amountIn(lines: readonly ShownLine[], label: string): number | undefined {
  const found = lines.find(([name]) => nameOf(name) === label);
  return found && cents(found[1]);
}

/** The figures of the definition are shown, all of them, and add up as they are shown. */
export function expectShown(table: Figures, lines: readonly ShownLine[]): void {
  const shown = new Map(figuresOf(table).map(({ name, label }) => [name, amountIn(lines, label)]));
  expect(
    [...shown.values()].every((value) => value !== undefined),
    JSON.stringify(lines),
  ).toBe(true);
  expect(mistakesIn(table, (name) => shown.get(name))).toEqual([]);
}

/** The cells of the CSV file that a button downloads. */
export async function downloadCsv(page: Page, button: Locator): Promise<string[][]> {
  const download = page.waitForEvent('download');
  await button.click();
  const text = await readFile((await (await download).path()) ?? '', 'utf8');
  const rows = text.replace('\ufeff', '').trimEnd().split('\r\n');
  return rows.map((row) =>
    [...row.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain = '']) =>
      quoted === undefined ? plain : quoted.replaceAll('""', '"'),
    ),
  );
}
