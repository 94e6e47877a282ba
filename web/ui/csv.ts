/** Writes tables as CSV that spreadsheets open as text and numbers, never as formulas. */

import { downloadFile } from './download.js';

/** A cell that begins like this is a formula for spreadsheets. */
const FORMULA = /^[=+\-@\t\r]/;
const NUMBER = /^-?\d+(?:\.\d+)?$/;

export function printCell(value: string): string {
  const safe = FORMULA.test(value) && !NUMBER.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function printCsv(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(printCell).join(',')}\r\n`).join('');
}

/** Spreadsheets need the mark at the beginning to read UTF-8. */
export function downloadCsv(name: string, rows: readonly (readonly string[])[]): void {
  downloadFile(`${name}.csv`, ['\ufeff', printCsv(rows)], 'text/csv;charset=utf-8');
}
