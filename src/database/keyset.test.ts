/** Keyset pages without a database: whether there is a next page, and where it begins. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instant } from '../base/time.js';
import { type Position, toPage } from './keyset.js';

interface Row {
  readonly id: string;
  readonly second: number;
}

const position = ({ id, second }: Row): Position => ({ at: instant(second * 1000), id });
const rows = (count: number): Row[] =>
  Array.from({ length: count }, (_, index) => ({ id: String(index), second: Math.floor(index / 2) }));

describe('toPage', () => {
  it.each([
    ['no rows', 0, 2, 0, undefined],
    ['fewer rows than the limit', 1, 2, 1, undefined],
    ['exactly the limit', 2, 2, 2, undefined],
    ['one extra row, which is removed', 3, 2, 2, { at: 0, id: '1' }],
    ['a limit of one', 2, 1, 1, { at: 0, id: '0' }],
  ])('handles %s (%i rows, limit %i)', (_what, count, limit, kept, next) => {
    const page = toPage(rows(count), limit, position);
    expect(page.items).toEqual(rows(count).slice(0, kept));
    expect(page.next).toEqual(next);
  });

  it('returns every row exactly once over all pages, even if rows share a second', () => {
    const walk = fc.record({
      seconds: fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 60 }),
      limit: fc.integer({ min: 1, max: 12 }),
    });
    fc.assert(
      fc.property(walk, ({ seconds, limit }) => {
        const all = seconds
          .map((second, index): Row => ({ second, id: String(index).padStart(3, '0') }))
          .sort((a, b) => a.second - b.second || (a.id < b.id ? -1 : 1));
        const isAfter = (row: Row, { at, id }: Position): boolean =>
          row.second * 1000 > at || (row.second * 1000 === at && row.id > id);
        const seen: Row[] = [];
        let after: Position | undefined;
        do {
          const start = after;
          const read = all.filter((row) => start === undefined || isAfter(row, start)).slice(0, limit + 1);
          const page = toPage(read, limit, position);
          expect(page.items.length).toBeLessThanOrEqual(limit);
          seen.push(...page.items);
          after = page.next;
        } while (after);
        expect(seen).toEqual(all);
      }),
    );
  });
});
