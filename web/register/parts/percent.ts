/** Prints exact rates for people. */

/** `0.08625` is `8.625 %`: the point moves, nothing is computed. */
export function printPercent(rate: string): string {
  const [whole = '0', fraction = ''] = rate.split('.');
  const padded = fraction.padEnd(2, '0');
  const before = `${whole}${padded.slice(0, 2)}`.replace(/^0+(?=\d)/, '');
  const after = padded.slice(2).replace(/0+$/, '');
  return `${before}${after === '' ? '' : `.${after}`} %`;
}

/** `8.625` percent are the rate `0.08625`. */
export function toRate(percentage: string): string {
  const [whole = '0', fraction = ''] = percentage.split('.');
  const digits = whole.padStart(3, '0');
  const after = `${digits.slice(-2)}${fraction}`.replace(/0+$/, '');
  return `${digits.slice(0, -2).replace(/^0+(?=\d)/, '')}${after === '' ? '' : `.${after}`}`;
}
