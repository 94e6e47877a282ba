/** Times that buyers remember, in the time of the location. */
import { expect, it } from 'vitest';
import { instant } from '../../../src/base/time.js';
import { rangeOf } from './when.js';

const NEW_YORK = 'America/New_York';
/** 21:30 of 10 March in New York, and the next day already in UTC. */
const NOW = instant(Date.UTC(2026, 2, 11, 1, 30));

it.each([
  { name: 'any time', when: { when: 'ANY', day: '', time: '' }, range: {} },
  {
    name: 'the last hour',
    when: { when: 'HOUR', day: '', time: '' },
    range: { begin_time: '2026-03-11T00:30:00.000Z', end_time: '2026-03-11T01:30:00.000Z' },
  },
  {
    name: "the location's today",
    when: { when: 'TODAY', day: '', time: '' },
    range: { begin_time: '2026-03-10T04:00:00.000Z', end_time: '2026-03-11T04:00:00.000Z' },
  },
  {
    name: 'yesterday about half past two',
    when: { when: 'YESTERDAY', day: '', time: '14:30' },
    range: { begin_time: '2026-03-09T17:30:00.000Z', end_time: '2026-03-09T19:30:00.000Z' },
  },
  {
    name: 'the day of 23 hours when the clocks change',
    when: { when: 'DAY', day: '2026-03-08', time: '' },
    range: { begin_time: '2026-03-08T05:00:00.000Z', end_time: '2026-03-09T04:00:00.000Z' },
  },
  { name: 'another day that is not chosen yet', when: { when: 'DAY', day: '', time: '14:30' }, range: {} },
] as const)('$name', ({ when, range }) => {
  expect(rangeOf(when, NOW, NEW_YORK)).toEqual(range);
});
