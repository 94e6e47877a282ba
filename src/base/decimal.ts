/** Parses and prints exact rates and quantities. They are stored as integers, never as binary fractions. */

declare const rateBrand: unique symbol;
declare const quantityBrand: unique symbol;

/** A rate from 0 to 1, in millionths. */
export type Rate = number & { readonly [rateBrand]: true };

/** A quantity above 0, in hundred-thousandths. */
export type Quantity = number & { readonly [quantityBrand]: true };

export const RATE_OF_ONE = 1_000_000 as Rate;
export const QUANTITY_OF_ONE = 100_000 as Quantity;

const RATE_DIGITS = 6;
const QUANTITY_DIGITS = 5;
/** v1 pads rates and quantities with zeros. */
const SHOWN_DIGITS = 8;

/** From 0 to 1 with up to six fraction digits: "0.085", 0.085, "0.085000". */
export function parseRate(given: string | number): Rate | undefined {
  const steps = parseSteps(given, RATE_DIGITS);
  return steps !== undefined && steps <= RATE_OF_ONE ? (steps as Rate) : undefined;
}

/** Above 0 with up to five fraction digits: "1.00000000", 2, 0.25. */
export function parseQuantity(given: string | number): Quantity | undefined {
  const steps = parseSteps(given, QUANTITY_DIGITS);
  return steps !== undefined && steps > 0 ? (steps as Quantity) : undefined;
}

/** The format of v1: "0.08500000". */
export function printRate(rate: Rate): string {
  return printPadded(rate, RATE_DIGITS);
}

/** The format of v1: "1.00000000". */
export function printV1Quantity(quantity: Quantity): string {
  return printPadded(quantity, QUANTITY_DIGITS);
}

function printPadded(steps: number, stepDigits: number): string {
  const digits = String(steps).padStart(stepDigits + 1, '0');
  const fraction = digits.slice(-stepDigits).padEnd(SHOWN_DIGITS, '0');
  return `${digits.slice(0, -stepDigits)}.${fraction}`;
}

/** For people and for sums. It has few enough digits to be parsed back to the same quantity. */
export function quantityAsNumber(quantity: Quantity): number {
  return quantity / QUANTITY_OF_ONE;
}

/** As a request sends it: "1.5". */
export function printQuantity(quantity: Quantity): string {
  return String(quantityAsNumber(quantity));
}

// At most nine integer digits: together with the fraction the result is still a safe integer.
const DECIMAL = /^(\d{1,9})(?:\.(\d{1,20}))?$/;

/** Extra zeros are accepted. Any other extra digit would be lost, so the value is rejected. */
function parseSteps(given: string | number, digits: number): number | undefined {
  const match = DECIMAL.exec(String(given));
  if (!match) return undefined;
  const [, whole = '', fraction = ''] = match;
  if (/[1-9]/.test(fraction.slice(digits))) return undefined;
  return Number(whole + fraction.slice(0, digits).padEnd(digits, '0'));
}
