import { describe, expect, it } from 'vitest';
import { readToken } from './reader-token.js';

describe('what a reader gives', () => {
  it.each([
    ['tok_1NirD82eZvKYlo2C', 'cnon:tok_1NirD82eZvKYlo2C'],
    ['cnon:tok_1', 'cnon:tok_1'],
    ['pm_card_visa', 'pm_card_visa'],
    [' ccof:card_7 ', 'ccof:card_7'],
  ])('%s is the source %s', (given, sourceId) => {
    expect(readToken(given)).toEqual({ sourceId });
  });

  it.each([
    '4242 4242 4242 4242',
    'cnon:4242424242424242',
    '4242424242424241', // mistyped: the server refuses it too
    '4242424242424242=29121010000?',
    '%B4242424242424242^BERG/ADA^2912101?',
  ])('%s is refused as the number of a card', (given) => {
    expect(readToken(given)).toEqual({ refusal: expect.stringContaining('the number of a card') });
  });

  it.each([
    ['', 'gave nothing'],
    ['cnon:', 'gave nothing'],
    ['tok 1', 'no spaces'],
    ['t'.repeat(251), 'too long'],
  ])('%s is refused: %s', (given, words) => {
    expect(readToken(given)).toEqual({ refusal: expect.stringContaining(words) });
  });
});
