/** Prints exact rates for people. */

/** `0.08625` is `8.625 %`: the point moves, nothing is computed. */
export function printPercent(rate: string): string {
  const [whole = '0', fraction = ''] = rate.split('.');
  const padded = fraction.padEnd(2, '0');
  const before = `${whole}${padded.slice(0, 2)}`.replace(/^0+(?=\d)/, '');
  const after = padded.slice(2).replace(/0+$/, '');
  return `${before}${after === '' ? '' : `.${after}`} %`;
}
