/** Timestamps in the formats of real clients (contract 14.1, decision 0010), and ISO 8601 durations. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addDuration,
  DAY_MS,
  type Instant,
  instant,
  parseTime,
  printMilliseconds,
  printSeconds,
  wholeSecond,
} from './time.js';

const at = (iso: string): Instant => instant(Date.parse(iso));

const [FIRST, LAST] = [at('0001-01-01T00:00:00.000Z'), at('9999-12-31T23:59:59.999Z')];
const instants = fc.integer({ min: FIRST, max: LAST }).map(instant);

describe('parseTime', () => {
  it.each([
    ['a date', '2019-01-01', '2019-01-01T00:00:00.000Z'],
    ['minutes', '2019-01-01T09:30', '2019-01-01T09:30:00.000Z'],
    ['minutes with a zone', '2019-01-01T09:30Z', '2019-01-01T09:30:00.000Z'],
    ['seconds without a zone: UTC (Python)', '2013-01-01T00:00:00', '2013-01-01T00:00:00.000Z'],
    ['Z', '2014-04-01T00:00:00Z', '2014-04-01T00:00:00.000Z'],
    ['a small t and z', '2014-04-01t00:00:00z', '2014-04-01T00:00:00.000Z'],
    ['an offset west (Java)', '2019-01-01T00:00:00-08:00', '2019-01-01T08:00:00.000Z'],
    ['an offset east', '2019-01-01T00:00:00+05:30', '2018-12-31T18:30:00.000Z'],
    ['an offset without a colon (PHP)', '2019-01-01T00:00:00+0000', '2019-01-01T00:00:00.000Z'],
    ['an offset of nothing (Python)', '2019-01-01T00:00:00+00:00', '2019-01-01T00:00:00.000Z'],
    ['an offset in hours (PostgreSQL)', '2019-01-01 00:00:00-08', '2019-01-01T08:00:00.000Z'],
    ['a plus that became a blank', '2019-01-01T00:00:00 00:00', '2019-01-01T00:00:00.000Z'],
    ['a plus that became a blank, with a distance', '2019-01-01T00:00:00 01:00', '2018-12-31T23:00:00.000Z'],
    ['three digits (JavaScript)', '2014-07-31T23:52:35.489Z', '2014-07-31T23:52:35.489Z'],
    ['six digits (Python)', '2019-01-01T01:02:03.004000+00:00', '2019-01-01T01:02:03.004Z'],
    ['seven digits without a zone (.NET)', '2020-12-29T00:00:00.0000000', '2020-12-29T00:00:00.000Z'],
    ['seven digits and Z (.NET)', '2020-12-29T00:00:00.1239999Z', '2020-12-29T00:00:00.123Z'],
    ['one digit', '2020-12-29T00:00:00.5Z', '2020-12-29T00:00:00.500Z'],
    ['nine digits', '2020-12-29T00:00:00.123456789Z', '2020-12-29T00:00:00.123Z'],
    ['more digits', `2020-12-29T00:00:00.${'9'.repeat(30)}Z`, '2020-12-29T00:00:00.999Z'],
    ['a comma before the fraction', '2020-12-29T00:00:00,25Z', '2020-12-29T00:00:00.250Z'],
    ['a blank between date and time', '2020-12-29 10:00:00', '2020-12-29T10:00:00.000Z'],
    ['a leap day', '2020-02-29', '2020-02-29T00:00:00.000Z'],
    ['the leap day of a century that has one', '2000-02-29', '2000-02-29T00:00:00.000Z'],
    ['the last second of a year', '2019-12-31T23:59:59Z', '2019-12-31T23:59:59.000Z'],
    ['a year below 100, which is not 19xx', '0099-05-01', '0099-05-01T00:00:00.000Z'],
    ['the first instant there is', '0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['the last instant there is', '9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['a basic date', '20200229', '2020-02-29T00:00:00.000Z'],
    ['a basic form', '20200229T100000Z', '2020-02-29T10:00:00.000Z'],
    ['a basic form with a fraction and an offset', '20200229T100000.25-0800', '2020-02-29T18:00:00.250Z'],
    ['a basic form in minutes', '20200229T1030', '2020-02-29T10:30:00.000Z'],
    ['a basic date with an extended time', '20200229T10:30:00Z', '2020-02-29T10:30:00.000Z'],
    ['a week date', '2020-W09-6', '2020-02-29T00:00:00.000Z'],
    ['a basic week date with a time', '2020W096T100000Z', '2020-02-29T10:00:00.000Z'],
    ['a week date of the year before', '2019-W01-1', '2018-12-31T00:00:00.000Z'],
    ['a week date of the year after', '2020-W53-7', '2021-01-03T00:00:00.000Z'],
    ['an ordinal date', '2020-060', '2020-02-29T00:00:00.000Z'],
    ['a basic ordinal date with a time', '2020060T10Z', '2020-02-29T10:00:00.000Z'],
    ['the last day of a leap year', '2020-366', '2020-12-31T00:00:00.000Z'],
    ['an hour alone', '2020-02-29T10Z', '2020-02-29T10:00:00.000Z'],
    ['an hour alone with an offset', '2020-02-29T10+05:30', '2020-02-29T04:30:00.000Z'],
    ['an hour alone, and a plus that became a blank', '2020-02-29T10 01', '2020-02-29T09:00:00.000Z'],
    ['a fraction of an hour', '2020-02-29T10.5Z', '2020-02-29T10:30:00.000Z'],
    ['a fraction of a minute', '2020-02-29T10:30,5Z', '2020-02-29T10:30:30.000Z'],
    ['hour 24: midnight', '2020-02-29T24:00:00Z', '2020-03-01T00:00:00.000Z'],
    ['hour 24 alone, with an offset', '20200229T24-01', '2020-03-01T01:00:00.000Z'],
    ['hour 24 with a fraction of nothing', '2020-02-29T24:00:00.000Z', '2020-03-01T00:00:00.000Z'],
    ['a leap second', '2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    ['a leap second with a fraction and an offset', '2016-12-31T15:59:60.5-08:00', '2017-01-01T00:00:00.500Z'],
  ])('reads %s: %s', (_form, text, expected) => {
    expect(parseTime(text)).toBe(Date.parse(expected));
  });

  it.each([
    ['a day that February never has', '2026-02-30'],
    ['a leap day in a year without one', '2026-02-29'],
    ['the leap day of a century without one', '1900-02-29'],
    ['the 31st of a short month', '2026-04-31'],
    ['a thirteenth month', '2026-13-01'],
    ['a month zero', '2026-00-01'],
    ['a day zero', '2026-01-00'],
    ['a year zero', '0000-01-01'],
    ['month-day-year (the PHP sample)', '01-01-19'],
    ['hour 25', '2026-01-01T25:00'],
    ['a minute after hour 24', '2026-01-01T24:01:00Z'],
    ['a fraction after hour 24', '2026-01-01T24:00:00.001Z'],
    ['a leap second after hour 24', '2026-01-01T24:00:60Z'],
    ['second 61', '2026-01-01T23:59:61Z'],
    ['the end of the last day there is', '9999-12-31T24:00:00Z'],
    ['week 54', '2026-W54-1'],
    ['week 53 of a year without one', '2021-W53-1'],
    ['week zero', '2026-W00-1'],
    ['day 8 of a week', '2026-W01-8'],
    ['day 0 of a week', '2026-W01-0'],
    ['a week alone', '2026-W01'],
    ['day 366 of a year without one', '2026-366'],
    ['day zero of a year', '2026-000'],
    ['a month alone, in basic form', '202601'],
    ['a T without a time', '2026-01-01T'],
    ['an odd number of digits', '2026-01-01T100'],
    ['minute 60', '2026-01-01T00:60:00Z'],
    ['an offset of 24 hours', '2026-01-01T00:00:00+24:00'],
    ['an offset of 60 minutes', '2026-01-01T00:00:00+01:60'],
    ['a point without a fraction', '2026-01-01T00:00:00.Z'],
    ['a date with a zone', '2026-01-01Z'],
    ['a month alone', '2026-01'],
    ['single digits', '2026-1-1'],
    ['five digits of a year', '12026-01-01'],
    ['a sign before the year', '+002026-01-01'],
    ['seconds since 1970', '1767225600'],
    ['a line break behind it', '2026-01-01\n'],
    ['a blank before it', ' 2026-01-01'],
    ['digits of another script', '２０２６-01-01'],
    ['words', 'yesterday'],
    ['nothing', ''],
    ['an offset that leads before the year 1', '0001-01-01T00:00:00+00:01'],
    ['an offset that leads past the year 9999', '9999-12-31T23:59:59-00:01'],
  ])('refuses %s: %j', (_what, text) => {
    expect(parseTime(text)).toBeUndefined();
  });

  it('reads back every instant that was printed with milliseconds', () => {
    fc.assert(
      fc.property(instants, (time) => {
        expect(parseTime(printMilliseconds(time))).toBe(time);
      }),
    );
  });

  it('reads back every whole second that was printed in seconds', () => {
    fc.assert(
      fc.property(instants.map(wholeSecond), (time) => {
        expect(parseTime(printSeconds(time))).toBe(time);
      }),
    );
  });

  it('reads the same instant under every offset', () => {
    const minutes = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 });
    const inside = fc.integer({ min: FIRST + DAY_MS, max: LAST - DAY_MS }).map(instant);
    fc.assert(
      fc.property(inside, minutes, fc.constantFrom(':', ''), (time, offset, colon) => {
        const two = (value: number): string => String(value).padStart(2, '0');
        const sign = offset < 0 ? '-' : '+';
        const local = printMilliseconds(instant(time + offset * 60_000)).slice(0, -1);
        const [hours, rest] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
        expect(parseTime(`${local}${sign}${two(hours)}${colon}${two(rest)}`)).toBe(time);
      }),
    );
  });

  it('returns an instant or undefined for any text, and never throws', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const time = parseTime(text);
        expect(time === undefined || (time >= FIRST && time <= LAST)).toBe(true);
      }),
    );
  });
});

describe('printSeconds', () => {
  it('drops the fraction of the second', () => {
    expect(printSeconds(at('2020-02-26T10:00:00.999Z'))).toBe('2020-02-26T10:00:00Z');
  });
});

describe('printMilliseconds', () => {
  it('always shows three digits', () => {
    expect(printMilliseconds(at('2020-02-26T10:00:00Z'))).toBe('2020-02-26T10:00:00.000Z');
  });
});

describe('wholeSecond', () => {
  it.each([
    ['2020-02-26T10:00:00.999Z', '2020-02-26T10:00:00.000Z'],
    ['2020-02-26T10:00:00.000Z', '2020-02-26T10:00:00.000Z'],
    ['1969-12-31T23:59:59.001Z', '1969-12-31T23:59:59.000Z'],
  ])('takes %s back to %s', (from, to) => {
    expect(wholeSecond(at(from))).toBe(at(to));
  });
});

describe('instant', () => {
  it.each([0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('refuses %s', (value) => {
    expect(() => instant(value)).toThrow(RangeError);
  });
});

describe('addDuration', () => {
  it.each([
    ['2020-02-26T10:00:00.000Z', 'P61D', '2020-04-27T10:00:00.000Z'],
    ['2020-02-26T10:00:00.000Z', 'PT36H', '2020-02-27T22:00:00.000Z'],
    ['2020-02-26T10:00:00.000Z', 'PT90M', '2020-02-26T11:30:00.000Z'],
    ['2020-02-26T10:00:00.000Z', 'PT45S', '2020-02-26T10:00:45.000Z'],
    ['2020-02-26T10:00:00.000Z', 'P2W', '2020-03-11T10:00:00.000Z'],
    ['2020-02-26T10:00:00.000Z', 'P1Y', '2021-02-26T10:00:00.000Z'],
    ['2020-02-26T10:00:00.000Z', 'P1M', '2020-03-26T10:00:00.000Z'],
    ['2020-11-30T10:00:00.000Z', 'P14M', '2022-01-30T10:00:00.000Z'],
    ['2020-02-26T10:00:00.500Z', 'P1Y2M1W3DT4H5M6S', '2021-05-06T14:05:06.500Z'],
    ['2020-02-26T10:00:00.000Z', 'P0D', '2020-02-26T10:00:00.000Z'],
    ['2020-01-01T00:00:00.000Z', 'P1Y', '2021-01-01T00:00:00.000Z'],
    // A day that the target month does not have becomes its last day.
    ['2020-01-31T10:00:00.000Z', 'P1M', '2020-02-29T10:00:00.000Z'],
    ['2021-01-31T10:00:00.000Z', 'P1M', '2021-02-28T10:00:00.000Z'],
    ['2020-02-29T10:00:00.000Z', 'P1Y', '2021-02-28T10:00:00.000Z'],
    ['2020-02-29T10:00:00.000Z', 'P4Y', '2024-02-29T10:00:00.000Z'],
    ['2020-01-31T10:00:00.000Z', 'P1M1D', '2020-03-01T10:00:00.000Z'],
  ])('adds to %s the duration %s: %s', (from, duration, expected) => {
    const sum = addDuration(at(from), duration);
    expect(sum === undefined ? undefined : printMilliseconds(sum)).toBe(expected);
  });

  it.each(['', 'P', 'PT', 'P1', '61D', 'P1DT', '-P1D', 'P-1D', 'P1.5D', 'PT1D', 'P1H', 'p1d', ' P1D', 'P1D ', 'P1D\n'])(
    'refuses %j',
    (duration) => {
      expect(addDuration(at('2020-02-26T10:00:00Z'), duration)).toBeUndefined();
    },
  );

  it.each(['P7980Y', 'P9999999999Y', 'P99999999999999999999D', 'PT9007199254740993S'])(
    'refuses to go past the year 9999: %s',
    (far) => {
      expect(addDuration(at('2020-02-26T10:00:00Z'), far)).toBeUndefined();
    },
  );

  it('adds days, hours, minutes and seconds by their length', () => {
    const part = fc.integer({ min: 0, max: 1000 });
    const start = fc.integer({ min: at('1900-01-01'), max: at('2200-01-01') }).map(instant);
    fc.assert(
      fc.property(start, part, part, part, part, (time, days, hours, minutes, seconds) => {
        const length = days * DAY_MS + ((hours * 60 + minutes) * 60 + seconds) * 1000;
        expect(addDuration(time, `P${days}DT${hours}H${minutes}M${seconds}S`)).toBe(time + length);
      }),
    );
  });

  it('keeps the time of day and never skips a month when it adds months', () => {
    const start = fc.integer({ min: at('1900-01-01'), max: at('2200-01-01') }).map(instant);
    fc.assert(
      fc.property(start, fc.integer({ min: 0, max: 600 }), (time, months) => {
        const [from, to] = [new Date(time), new Date(addDuration(time, `P${months}M`) ?? Number.NaN)];
        const count = (date: Date): number => date.getUTCFullYear() * 12 + date.getUTCMonth();
        expect(count(to)).toBe(count(from) + months);
        expect(to.toISOString().slice(11)).toBe(from.toISOString().slice(11));
        expect(to.getUTCDate()).toBeLessThanOrEqual(from.getUTCDate());
      }),
    );
  });
});
