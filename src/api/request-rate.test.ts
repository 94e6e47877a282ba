import { describe, expect, it } from 'vitest';
import { RequestRate } from './request-rate.js';

/** A limit on a clock that stands still until it is moved. */
function limited(max: number, windowMs = 1000) {
  let now = 0;
  const limit = new RequestRate(max, windowMs, () => now);
  return {
    pass(milliseconds: number) {
      now += milliseconds;
    },
    /** How many of so many requests at once are let through. */
    let(requests: number, key = 'a'): number {
      let through = 0;
      for (let request = 0; request < requests; request++) {
        try {
          limit.count(key);
          through++;
        } catch {}
      }
      return through;
    },
    count: (key = 'a') => limit.count(key),
    uncount: (key = 'a') => limit.uncount(key),
  };
}

describe('RequestRate', () => {
  it('lets so many through at once, and as many again in each second', () => {
    const limit = limited(5);
    expect(limit.let(20)).toBe(5);
    limit.pass(200);
    expect(limit.let(20)).toBe(1);
    limit.pass(1000);
    expect(limit.let(20)).toBe(5);
    limit.pass(60_000);
    expect(limit.let(20)).toBe(5); // what was not used is not saved up
  });

  it('counts each key by itself', () => {
    const limit = limited(2);
    expect([limit.let(5, 'a'), limit.let(5, 'b'), limit.let(5, 'a')]).toEqual([2, 2, 0]);
  });

  it('does not count what it refuses, and says when to come back', () => {
    const limit = limited(1);
    limit.count();
    limit.pass(250);
    for (let again = 0; again < 10; again++) {
      expect(() => limit.count()).toThrow(expect.objectContaining({ reason: 'RATE_LIMITED', retryAfterSeconds: 1 }));
    }
    limit.pass(750);
    expect(limit.let(5)).toBe(1);
  });

  it('takes back what was counted, and never gives more than there was', () => {
    const limit = limited(2);
    limit.uncount();
    limit.count();
    limit.uncount();
    limit.uncount();
    expect(limit.let(5)).toBe(2);
    limit.uncount();
    expect(limit.let(5)).toBe(1);
  });

  it('lets a full memory of keys that have rested go, and none that has not', () => {
    const limit = limited(1);
    for (let key = 0; key < 10_000; key++) limit.count(`rested-${key}`);
    limit.pass(2000);
    limit.count('busy');
    limit.count('one-more');
    expect(limit.let(1, 'busy')).toBe(0);
    expect(limit.let(1, 'rested-0')).toBe(1);
  });

  it('forgets the oldest where all are busy, so that memory has a bound', () => {
    const limit = limited(1);
    for (let key = 0; key < 10_001; key++) limit.count(`busy-${key}`);
    expect([limit.let(1, 'busy-10000'), limit.let(1, 'busy-1'), limit.let(1, 'busy-0')]).toEqual([0, 0, 1]);
  });

  it('spreads a minute of requests over the minute', () => {
    const limit = limited(120, 60_000);
    expect(limit.let(200)).toBe(120);
    limit.pass(499);
    expect(() => limit.count()).toThrow(expect.objectContaining({ retryAfterSeconds: 1 }));
    limit.pass(1);
    expect(limit.let(5)).toBe(1);
  });
});
