/** Rates as percentages. */

/** `0.08500000` is `8.5 %`. Exact: only the point moves. */
export function printPercent(rate: string): string {
  const [whole = '0', fraction = ''] = rate.split('.');
  const digits = fraction.padEnd(2, '0');
  const percent = `${whole}${digits.slice(0, 2)}`.replace(/^0+(?=\d)/, '');
  const rest = digits.slice(2).replace(/0+$/, '');
  return `${percent}${rest && `.${rest}`} %`;
}

/** The rate of a typed percentage; undefined if it is none. */
export function parsePercent(typed: string): string | undefined {
  const [, whole = '', fraction = ''] = /^(\d{1,3})(?:[.,](\d{0,4}))?\s*%?$/.exec(typed.trim()) ?? [];
  if (whole === '') return undefined;
  const digits = whole.padStart(3, '0');
  const rate = `${digits.slice(0, -2).replace(/^0+(?=\d)/, '')}.${digits.slice(-2)}${fraction}`;
  const trimmed = rate.replace(/\.?0+$/, '') || '0';
  return Number(trimmed) <= 1 ? trimmed : undefined;
}
