import { expect, it } from 'vitest';
import { bucketsOf, parsePeriod, periodBefore } from './period.js';

it.each([
  ['2020-02-26', '2020-02-26', '2020-02-25', '2020-02-25'],
  ['2020-02-20', '2020-02-26', '2020-02-13', '2020-02-19'],
  ['2020-03-01', '2020-03-31', '2020-02-01', '2020-02-29'],
  ['2020-01-01', '2020-12-31', '2019-01-01', '2019-12-31'],
  ['2020-01-01', '2020-01-31', '2019-12-01', '2019-12-31'],
  ['2020-03-01', '2020-03-30', '2020-01-31', '2020-02-29'],
])('the period before %s to %s is %s to %s', (begin, end, beginBefore, endBefore) => {
  expect(periodBefore({ begin, end })).toEqual({ begin: beginBefore, end: endBefore });
});

it('has a bucket for each hour, day, week from Monday on, and month', () => {
  const period = { begin: '2019-12-30', end: '2020-01-06' };
  expect(bucketsOf('HOUR', period)).toHaveLength(24);
  expect(bucketsOf('DAY', period)).toHaveLength(8);
  expect(bucketsOf('WEEK', period)).toEqual(['2019-12-30', '2020-01-06']);
  expect(bucketsOf('MONTH', period)).toEqual(['2019-12', '2020-01']);
});

it('reads the last thirty days by default', () => {
  expect(parsePeriod({}, '2020-03-01')).toEqual({ begin: '2020-02-01', end: '2020-03-01' });
});
