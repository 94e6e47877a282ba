/** What a card reader hands over: a one-time token, and never the number of a card. Pure. */
import { hasCardNumber, hasTokenPrefix, withoutTokenPrefix } from '../../../src/base/card-numbers.js';

/** As in the schema of a tender. */
const MAX_LENGTH = 255;

export type ReaderToken = { readonly sourceId: string } | { readonly refusal: string };

/** A token without a prefix is a one-time token. */
export function readToken(given: string): ReaderToken {
  const text = given.trim();
  if (withoutTokenPrefix(text) === '') return { refusal: 'The reader gave nothing. Present the card again.' };
  if (hasCardNumber(text)) {
    return {
      refusal:
        'This is the number of a card. Never type one here: it is neither sent nor kept. Use the reader, or take the card on a terminal.',
    };
  }
  if (/\s/.test(text)) return { refusal: 'A token has no spaces. Present the card again.' };
  const sourceId = hasTokenPrefix(text) ? text : `cnon:${text}`;
  if (sourceId.length > MAX_LENGTH) return { refusal: 'This is too long for a token. Present the card again.' };
  return { sourceId };
}
