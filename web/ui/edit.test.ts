/** Merging an edit with what somebody else changed meanwhile. */
import { describe, expect, it } from 'vitest';
import { mergeEdit } from './edit.js';

const SAW = { first: 'Ana', last: 'Ruiz', places: ['one'] };

describe('mergeEdit', () => {
  it('takes the changes of others in fields that were not typed into', () => {
    const current = { ...SAW, last: 'Diaz', places: ['one', 'two'] };
    expect(mergeEdit(SAW, current, { ...SAW, first: 'Anna' })).toEqual({
      typed: { first: 'Anna', last: 'Diaz', places: ['one', 'two'] },
      changes: [
        { field: 'last', before: 'Ruiz', now: 'Diaz', isTyped: false },
        { field: 'places', before: ['one'], now: ['one', 'two'], isTyped: false },
      ],
    });
  });

  it('keeps what was typed where both changed, and says so', () => {
    expect(mergeEdit(SAW, { ...SAW, last: 'Diaz' }, { ...SAW, last: 'Ruiz-Diaz' })).toEqual({
      typed: { ...SAW, last: 'Ruiz-Diaz' },
      changes: [{ field: 'last', before: 'Ruiz', now: 'Diaz', isTyped: true }],
    });
  });

  it('finds no conflict where both typed the same', () => {
    const both = { ...SAW, last: 'Diaz' };
    expect(mergeEdit(SAW, both, both)).toEqual({ typed: both, changes: [] });
  });
});
