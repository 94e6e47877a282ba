import { describe, expect, it } from 'vitest';
import { type Instant, instant } from '../base/time.js';
import { lastYearByDefault, oneYearAtMost } from './defaults.js';

const at = (text: string): Instant => instant(Date.parse(text));
const NOW = at('2020-02-26T10:00:00.000Z');

interface Case {
  readonly begin_time?: string;
  readonly end_time?: string;
  readonly order?: 'ASC' | 'DESC';
}

describe('oneYearAtMost', () => {
  it.each<[string, Case, string, string]>([
    ['the last year, now included', {}, '2019-02-26T10:00:00.000Z', '2020-02-26T10:00:00.001Z'],
    ['the last year in descending order', { order: 'DESC' }, '2019-02-26T10:00:00.000Z', '2020-02-26T10:00:00.000Z'],
    [
      'a range of a year that ends on a leap day',
      { begin_time: '2019-02-28', end_time: '2020-02-29' },
      '2019-02-28T00:00:00.000Z',
      '2020-02-29T00:00:00.000Z',
    ],
    [
      'a range of a year that begins on a leap day',
      { begin_time: '2020-02-29', end_time: '2021-03-01' },
      '2020-02-29T00:00:00.000Z',
      '2021-03-01T00:00:00.000Z',
    ],
    ['a given end', { end_time: '2020-01-01' }, '2019-02-26T10:00:00.000Z', '2020-01-01T00:00:00.000Z'],
    ['a given begin', { begin_time: '2020-01-01' }, '2020-01-01T00:00:00.000Z', '2020-02-26T10:00:00.001Z'],
    [
      'ends in whole seconds as the whole second, in descending order',
      { begin_time: '2020-01-01', end_time: '2020-01-02', order: 'DESC' },
      '2020-01-01T00:00:00.999Z',
      '2020-01-02T00:00:00.999Z',
    ],
    [
      'a begin equal to now',
      { begin_time: '2020-02-26T10:00:00Z' },
      '2020-02-26T10:00:00.000Z',
      '2020-02-26T10:00:00.001Z',
    ],
    [
      'an end equal to the default begin',
      { end_time: '2019-02-26T10:00:00Z' },
      '2019-02-26T10:00:00.000Z',
      '2019-02-26T10:00:00.000Z',
    ],
    [
      'a begin exactly one year ago',
      { begin_time: '2019-02-26T10:00:00Z' },
      '2019-02-26T10:00:00.000Z',
      '2020-02-26T10:00:00.001Z',
    ],
    [
      'a leap year from 1 January to 1 January',
      { begin_time: '2016-01-01', end_time: '2017-01-01' },
      '2016-01-01T00:00:00.000Z',
      '2017-01-01T00:00:00.000Z',
    ],
    [
      'a begin on 1 January 2013',
      { begin_time: '2013-01-01', end_time: '2013-02-01' },
      '2013-01-01T00:00:00.000Z',
      '2013-02-01T00:00:00.000Z',
    ],
  ])('takes %s', (_, query, begin, end) => {
    expect(oneYearAtMost(query, NOW)).toEqual({ ...query, begin_time: begin, end_time: end });
  });

  it('begins no earlier than 2013 by default, unless the clock is before 2013', () => {
    expect(oneYearAtMost<Case>({}, at('2013-03-01T00:00:00Z')).begin_time).toBe('2013-01-01T00:00:00.000Z');
    expect(oneYearAtMost<Case>({}, at('2012-03-01T00:00:00Z')).begin_time).toBe('2011-03-01T00:00:00.000Z');
  });

  it('begins on 28 February by default on a leap day', () => {
    const leapDay = at('2020-02-29T10:00:00Z');
    const range = { begin_time: '2019-02-28T10:00:00.000Z', end_time: '2020-02-29T10:00:00.001Z' };
    expect(oneYearAtMost({}, leapDay)).toEqual(range);
    expect(oneYearAtMost({ begin_time: '2019-02-28T10:00:00Z' }, leapDay)).toEqual(range);
    expect(() => oneYearAtMost({ begin_time: '2019-02-28T09:59:59Z' }, leapDay)).toThrow('one year after');
  });

  it.each<[string, Case, string]>([
    ['begin_time', { begin_time: '2012-12-31T23:59:59.999Z', end_time: '2013-01-02' }, 'before 2013'],
    ['end_time', { begin_time: '2019-01-01', end_time: '2020-01-01T00:00:00.001Z' }, 'one year after'],
    ['end_time', { begin_time: '2019-02-26T09:59:59.999Z' }, 'one year after'],
    ['end_time', { begin_time: '2019-05-01', end_time: '2019-04-01' }, 'before begin_time'],
    ['end_time', { end_time: '2020-02-26T10:00:00.001Z' }, 'one year after'],
    ['end_time', { end_time: '2019-02-26T09:59:59.999Z' }, 'before 2019-02-26T10:00:00Z'],
    ['begin_time', { begin_time: '2020-02-26T10:00:00.001Z' }, 'after the current time'],
  ])('refuses with %s: %j', (field, query, says) => {
    expect(() => oneYearAtMost(query, NOW)).toThrow(
      expect.objectContaining({ field, message: expect.stringContaining(says) }),
    );
  });
});

describe('lastYearByDefault', () => {
  it.each<[string, Case, string, string]>([
    ['the last year, now included', {}, '2019-02-26T10:00:00.000Z', '2020-02-26T10:00:00.001Z'],
    ['a begin long ago', { begin_time: '2000-01-01' }, '2000-01-01T00:00:00.000Z', '2020-02-26T10:00:00.001Z'],
    ['an end after now', { end_time: '2020-03-01' }, '2019-02-26T10:00:00.000Z', '2020-03-01T00:00:00.000Z'],
  ])('takes %s', (_, query, begin, end) => {
    expect(lastYearByDefault(query, NOW)).toEqual({ ...query, begin_time: begin, end_time: end });
  });

  it.each<[string, Case]>([
    ['end_time', { begin_time: '2019-05-01', end_time: '2019-04-01' }],
    ['end_time', { end_time: '2019-02-26T09:59:59.999Z' }],
    ['begin_time', { begin_time: '2020-02-26T10:00:00.001Z' }],
  ])('refuses with %s a range that ends before it begins, by default or not: %j', (field, query) => {
    expect(() => lastYearByDefault(query, NOW)).toThrow(expect.objectContaining({ field }));
  });
});
