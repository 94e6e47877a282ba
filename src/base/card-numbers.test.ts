import { describe, expect, it } from 'vitest';
import { hasCardNumber } from './card-numbers.js';

describe('a card number', () => {
  it.each([
    '4242424242424242',
    '4222222222222', // 13 digits
    '378282246310005',
    '6304000000000000000', // 19 digits
    '4242424242424241', // mistyped: its check digit is wrong
    '424242424242',
    'cnon:4242424242424242',
    'ccof:4242-4242-4242-4242',
    'pm_4242424242424242',
    'cnon:pm_4242424242424242',
  ])('is %s', (text) => {
    expect(hasCardNumber(text)).toBe(true);
  });

  it.each([' ', '-', '.', '/', '_', '–', ' - ', '\u200b', '\u00a0'])(
    'may have "%s" between its digits',
    (separator) => {
      expect(hasCardNumber(['4242', '4242', '4242', '4242'].join(separator))).toBe(true);
    },
  );

  it.each(['４２４２４２４２４２４２４２４２', '٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢'])('may have non-ASCII digits: %s', (text) => {
    expect(hasCardNumber(text)).toBe(true);
  });

  it.each([
    '%B4242424242424242^BERG/ADA^2912101?',
    '%B4242 4242 4242 4242^BERG/ADA^2912101?',
    ';4242424242424242=29121010000?',
    '4242424242424242=29121010000?', // without the start sentinel
    'B4242424242424242^BERG/ADA^2912101',
    'ö4242424242424242´29121010000_', // another keyboard layout
    'ö４２４２４２４２４２４２４２４２´29121010000_',
    'card: 4242-4242-4242-4242, 12/29',
  ])('is within %s', (text) => {
    expect(hasCardNumber(text)).toBe(true);
  });
});

it.each([
  '',
  'cnon:card-nonce-ok',
  'tok_1NirD82eZvKYlo2C',
  'pm_1NirD8242424242424242zvKYlo2C', // digits within a word
  'tok4242424242424242',
  '4242424242424242ab',
  'cnon:0f8fad5b-d9cb-469f-a165-70867728950e',
  'tok_1763376000008', // a time in milliseconds, with a valid check digit
  'reader-7-4242424242424241', // its check digit is wrong
  'a-42424242424242424242', // 20 digits
  '12345678901',
])('a token is no card number: %s', (text) => {
  expect(hasCardNumber(text)).toBe(false);
});
