import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS, type Instant, instant } from './time.js';
import { nextHour, parseLocal, printLocal } from './time-zones.js';

const at = (text: string): Instant => instant(Date.parse(text));
const nextFrom = (timezone: string, hour: number, text: string): string =>
  new Date(nextHour(timezone, hour, at(text))).toISOString();

describe('nextHour', () => {
  it.each([
    ['the same day', 'America/New_York', '2020-02-21T12:00:00Z', '2020-02-21T22:00:00.000Z'],
    ['a millisecond before', 'America/New_York', '2020-02-21T21:59:59.999Z', '2020-02-21T22:00:00.000Z'],
    ['the next day, from the hour itself on', 'America/New_York', '2020-02-21T22:00:00Z', '2020-02-22T22:00:00.000Z'],
    ['a zone ahead of UTC', 'Asia/Tokyo', '2020-02-21T12:00:00Z', '2020-02-22T08:00:00.000Z'],
    ['a zone a quarter of an hour off', 'Asia/Kathmandu', '2020-02-21T00:00:00Z', '2020-02-21T11:15:00.000Z'],
    ['the end of a year', 'America/Los_Angeles', '2020-12-31T12:00:00Z', '2021-01-01T01:00:00.000Z'],
    ['the first of a year', 'Pacific/Auckland', '2020-12-31T04:00:00Z', '2021-01-01T04:00:00.000Z'],
    ['29 February', 'UTC', '2020-02-28T17:00:00Z', '2020-02-29T17:00:00.000Z'],
    ['the first instant that can be stored', 'America/Los_Angeles', '0001-01-01T00:00:00Z', '0001-01-01T00:52:58.000Z'],
  ])('is 17:00 local time: %s', (_, timezone, from, expected) => {
    expect(nextFrom(timezone, 17, from)).toBe(expected);
  });

  it.each([
    ['summer time begins: 23 hours', '2020-03-07T22:00:00Z', '2020-03-08T21:00:00.000Z'],
    ['summer time continues', '2020-03-08T21:00:00Z', '2020-03-09T21:00:00.000Z'],
    ['summer time ends: 25 hours', '2020-10-31T21:00:00Z', '2020-11-01T22:00:00.000Z'],
    ['winter time continues', '2020-11-01T22:00:00Z', '2020-11-02T22:00:00.000Z'],
  ])('stays at 17:00 in New York when %s', (_, from, expected) => {
    expect(nextFrom('America/New_York', 17, from)).toBe(expected);
  });

  it('is the first of two where the clocks show an hour twice', () => {
    expect(nextFrom('America/New_York', 1, '2020-11-01T00:00:00Z')).toBe('2020-11-01T05:00:00.000Z');
    expect(nextFrom('America/New_York', 1, '2020-11-01T05:00:00Z')).toBe('2020-11-02T06:00:00.000Z');
  });

  it('is an hour later where the clocks skip it', () => {
    expect(nextFrom('America/New_York', 2, '2020-03-08T00:00:00Z')).toBe('2020-03-08T07:00:00.000Z');
    expect(nextFrom('America/New_York', 2, '2020-03-08T07:00:00Z')).toBe('2020-03-09T06:00:00.000Z');
  });

  it('skips a day that a country skipped', () => {
    // Samoa had no 30 December 2011.
    expect(nextFrom('Pacific/Apia', 17, '2011-12-30T03:00:00Z')).toBe('2011-12-31T03:00:00.000Z');
    expect(nextFrom('Pacific/Apia', 17, '2011-12-31T03:00:00Z')).toBe('2012-01-01T03:00:00.000Z');
  });

  it('is at the hour and once a day, at any time in any zone', () => {
    const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
    const moments = fc.integer({ min: Date.parse('2000-01-01'), max: Date.parse('2037-01-01') });
    fc.assert(
      fc.property(zones, moments, (timezone, moment) => {
        const next = nextHour(timezone, 17, instant(moment));
        const shown = new Intl.DateTimeFormat('en-GB', { timeZone: timezone, timeStyle: 'medium' }).format(next);
        expect([timezone, shown]).toEqual([timezone, '17:00:00']);
        expect(next).toBeGreaterThan(moment);
        expect(next - moment).toBeLessThanOrEqual(DAY_MS + 3_600_000);
        // From one millisecond before the result, the result is the same: there is none in between.
        expect(nextHour(timezone, 17, instant(next - 1))).toBe(next);
      }),
      { seed: 20_200_226, numRuns: 500 },
    );
  });
});

describe('local times', () => {
  it.each([
    ['America/New_York', '2020-02-21T12:00:00Z', '2020-02-21T07:00:00'],
    ['Asia/Kathmandu', '2020-02-21T20:00:30.900Z', '2020-02-22T01:45:30'],
    ['America/Los_Angeles', '2020-07-01T06:59:59Z', '2020-06-30T23:59:59'],
  ])('in %s, %s is %s', (timezone, time, local) => {
    expect(printLocal(timezone, at(time))).toBe(local);
  });

  it('become the same instant again, unless the clocks show them twice', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: at('2000-01-01T00:00:00Z') / 1000, max: at('2030-01-01T00:00:00Z') / 1000 }),
        (second) => {
          const time = instant(second * 1000);
          const again = parseLocal('America/New_York', printLocal('America/New_York', time)) ?? 0;
          expect([0, 3_600_000]).toContain(time - again);
        },
      ),
    );
  });

  it('are read with and without seconds, and nothing else is', () => {
    expect(parseLocal('Europe/Berlin', '2020-07-01T12:00')).toBe(at('2020-07-01T10:00:00Z'));
    expect(parseLocal('Europe/Berlin', '2020-07-01T12:00:30')).toBe(at('2020-07-01T10:00:30Z'));
    for (const text of ['', '2020-07-01', '2020-07-01T12:00Z', '2020-13-01T12:00', 'noon']) {
      expect(parseLocal('Europe/Berlin', text)).toBe(undefined);
    }
  });
});
