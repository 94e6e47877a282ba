/** The version of a printer whose text is stored: a hash of what it prints. So nobody has to raise a number when it prints something else. */
import { hash } from 'node:crypto';

const DIGITS = 12;

/** `texts` is what the printer prints for a fixed set of records that has every field. */
export function printerVersion(texts: readonly string[]): string {
  return hash('sha256', texts.join('\0')).slice(0, DIGITS);
}
