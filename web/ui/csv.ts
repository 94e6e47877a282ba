/** Writes tables as CSV that spreadsheets open as text and numbers, never as formulas. */

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
  const url = URL.createObjectURL(new Blob(['\ufeff', printCsv(rows)], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `${name}.csv`;
  link.click();
  URL.revokeObjectURL(url);
}
