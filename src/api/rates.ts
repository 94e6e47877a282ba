/** The wire format of rates: a decimal from 0 to 1 as text, with up to six digits and up to two trailing zeros. */
import { parseRate, RATE_OF_ONE, type Rate } from '../base/decimal.js';
import { Type } from './wire.js';

export const RateText = Type.String({ pattern: '^(?:0(?:\\.\\d{1,6}0{0,2})?|1(?:\\.0{1,8})?)$', examples: ['0.085'] });

/** The schema has already checked the text, so parsing succeeds. */
export function fromRateText(text: string): Rate {
  return parseRate(text) ?? RATE_OF_ONE;
}
