/** Rates as they are sent: exact decimals are text, a part of one with up to six digits, and zeros as we print them. */
import { parseRate, RATE_OF_ONE, type Rate } from '../base/decimal.js';
import { Type } from './wire.js';

export const RateText = Type.String({ pattern: '^(?:0(?:\\.\\d{1,6}0{0,2})?|1(?:\\.0{1,8})?)$', examples: ['0.085'] });

/** Of the form that the schema asks for, so it can be read. */
export function readRate(text: string): Rate {
  return parseRate(text) ?? RATE_OF_ONE;
}
