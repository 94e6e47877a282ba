import { describe, expect, it } from 'vitest';
import { printCell, printCsv } from './csv.js';

describe('printCell', () => {
  it.each([
    ['plain', 'plain'],
    ['', ''],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    ['-2.50', '-2.50'],
    ['-7', '-7'],
    ['12.5', '12.5'],
  ])('prints %j as %j', (value, printed) => {
    expect(printCell(value)).toBe(printed);
  });

  it.each(['=1+1', '+1', '-1+2', '@SUM(A1)', '\tx', '-', '=HYPERLINK("http://x")'])(
    'marks %j as text, because a spreadsheet would calculate it',
    (value) => {
      expect(printCell(value)).toMatch(/^"?'/);
    },
  );
});

describe('printCsv', () => {
  it('ends each row as spreadsheets expect', () => {
    expect(
      printCsv([
        ['a', 'b'],
        ['1', '2'],
      ]),
    ).toBe('a,b\r\n1,2\r\n');
  });
});
