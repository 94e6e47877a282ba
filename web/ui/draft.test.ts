/** A draft keeps what was typed and shows what somebody else changed. */
import { expect, it } from 'vitest';
import { rebase } from './draft.js';

const SEEN = { name: 'Counter', phone: '1', hours: ['MON'] };
const state = (values: Partial<typeof SEEN>) => ({
  version: 'a',
  seen: SEEN,
  values: { ...SEEN, ...values },
  foreign: [],
});

it('follows what somebody else changed where nothing was typed', () => {
  const after = rebase(state({ phone: '2' }), 'b', { ...SEEN, name: 'Bar', hours: ['TUE'] });
  expect(after.values).toEqual({ name: 'Bar', phone: '2', hours: ['TUE'] });
  expect([after.version, after.foreign]).toEqual(['b', ['name', 'hours']]);
});

it('keeps what was typed into a field that somebody else changed too, and says so', () => {
  const after = rebase(state({ name: 'Mine' }), 'b', { ...SEEN, name: 'Theirs' });
  expect([after.values.name, after.seen.name, after.foreign]).toEqual(['Mine', 'Theirs', ['name']]);
});

it('takes its own saved values for nothing foreign', () => {
  const after = rebase(state({ name: 'Mine' }), 'b', { ...SEEN, name: 'Mine' });
  expect([after.values.name, after.foreign]).toEqual(['Mine', []]);
});
