import { describe, expect, it } from 'vitest';
import { type Cell, printCell } from './copy.js';

describe('printCell', () => {
  it.each<[string, Cell, string]>([
    ['null', null, '\\N'],
    ['a text that looks like null', '\\N', '\\\\N'],
    ['plain text', 'Juniper & Rye', 'Juniper & Rye'],
    ['an empty text', '', ''],
    ['tabs, lines and backslashes', 'a\tb\nc\rd\\e', 'a\\tb\\nc\\rd\\\\e'],
    ['JSON', '{"note":"a \\"b\\""}', '{"note":"a \\\\"b\\\\""}'],
    ['a number', -12, '-12'],
    ['true', true, 't'],
    ['false', false, 'f'],
    ['bytes', Buffer.from([0, 255]), '\\\\x00ff'],
    ['an empty array', [], '{}'],
    ['identifiers', ['a1', 'b-2'], '{"a1","b-2"}'],
    ['items that need quotes', ['a b', 'NULL', '', 'x"y\\z'], '{"a b","NULL","","x\\\\"y\\\\\\\\z"}'],
  ])('prints %s as PostgreSQL reads it', (_what, cell, printed) => {
    expect(printCell(cell)).toBe(printed);
  });
});
