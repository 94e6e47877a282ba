import { expect, it } from 'vitest';
import { addDays, mondayOf, printDay, toDayNumber, toMidnight } from './days.js';

it.each([
  ['1970-01-01', 0],
  ['1969-12-31', -1],
  ['2020-02-29', 18_321],
])('%s is day %i', (day, number) => {
  expect(toDayNumber(day)).toBe(number);
  expect(printDay(number)).toBe(day);
  expect(new Date(toMidnight(number)).toISOString()).toBe(`${day}T00:00:00.000Z`);
});

it.each([
  ['2020-02-24', '2020-02-24'],
  ['2020-03-01', '2020-02-24'],
  ['1970-01-01', '1969-12-29'],
  ['1969-12-28', '1969-12-22'],
])('the week of %s begins on %s', (day, monday) => {
  expect(printDay(mondayOf(toDayNumber(day)))).toBe(monday);
});

it('adds days across the end of February', () => {
  expect(addDays('2020-02-28', 2)).toBe('2020-03-01');
  expect(addDays('2020-03-01', -1)).toBe('2020-02-29');
});
