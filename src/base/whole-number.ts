/** The one parser of whole numbers in flags, environment variables and answers of programs: digits only. */
import { UsageError } from './usage-error.js';

export interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** Undefined: the text is not a whole number, or not within the bounds. `1e3`, `0x10`, `+1`, blanks and fractions are no whole numbers. */
export function parseWholeNumber(text: string, { min, max }: Bounds): number | undefined {
  if (!/^-?\d{1,15}$/.test(text)) return undefined;
  const number = Number(text);
  return number >= min && number <= max ? number : undefined;
}

/** The whole number that a flag must be. `unit` is what it counts, such as ` of days`. */
export function requireWholeNumber(text: string, flag: string, bounds: Bounds, unit = ''): number {
  const number = parseWholeNumber(text, bounds);
  if (number !== undefined) return number;
  throw new UsageError(`${flag} must be a whole number${unit} from ${bounds.min} to ${bounds.max}, not '${text}'.`);
}
