/** How the search of sales reads a text. */
import { describe, expect, it } from 'vitest';
import { parseSaleSearch } from './search.js';

const parse = (text: string, currency = 'USD') => parseSaleSearch(text, currency);

describe('parseSaleSearch', () => {
  it.each([
    ['18.40', 1840],
    ['$18.40', 1840],
    ['18,40 €', 1840],
    ['18.4', 1840],
    ['18', 1800],
    ['1,234.50 USD', 123_450],
    ["1'234", 123_400],
    ['USD 7', 700],
    ['usd7', 700],
    ['0.05', 5],
  ])('reads %s as an amount', (text, amount) => {
    expect(parse(text).amount).toBe(amount);
  });

  it.each([
    '18.405',
    '0',
    '-18',
    'A-17',
    '1111 2222',
    '99999999999',
    '#1840',
    '12.',
    'p18',
    'abc3',
    '3abc',
    'EUR 7',
    'USD 7 EUR',
  ])('does not read %s as an amount', (text) => {
    expect(parse(text).amount).toBeUndefined();
  });

  it('knows currencies without minor units', () => {
    expect(parse('1840', 'JPY').amount).toBe(1840);
    expect(parse('18.40', 'JPY').amount).toBeUndefined();
  });

  it.each(['1111', '**** 1111', '•••• 1111', 'x1111', 'Visa 1111', 'American Express 1111'])(
    'finds the last four digits in %s',
    (text) => {
      expect(parse(text).last4).toBe('1111');
    },
  );

  it('reads four digits as an id, last digits, a receipt number and an amount', () => {
    expect(parse(' 5858 ')).toEqual({ id: '5858', last4: '5858', receiptNumber: '5858', amount: 585_800 });
  });

  it('finds receipt numbers, with their case', () => {
    expect(parse('#xY9z').receiptNumber).toBe('xY9z');
    expect(parse('xY9z!').receiptNumber).toBeUndefined();
  });

  it('reads anything else as an id or a reference', () => {
    const id = 'Jk41mCczQFXk1tC10GB';
    expect(parse(id)).toEqual({ id, last4: undefined, receiptNumber: undefined, amount: undefined });
    expect(parse('order 17/a')).toMatchObject({ id: 'order 17/a', amount: undefined });
  });
});
