import { describe, expect, it } from 'vitest';
import { RequestRate } from './request-rate.js';

/** A limit with a clock that only `pass` moves. */
function limited(max: number, windowMs = 1000) {
  let now = 0;
  const limit = new RequestRate(max, windowMs, () => now);
  return {
    pass(milliseconds: number) {
      now += milliseconds;
    },
    /** Sends requests at once and returns how many pass. */
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
    add: (requests: number, key = 'a') => limit.add(key, requests),
  };
}

describe('RequestRate', () => {
  it('allows a burst of the maximum, and as many again in each second', () => {
    const limit = limited(5);
    expect(limit.let(20)).toBe(5);
    limit.pass(200);
    expect(limit.let(20)).toBe(1);
    limit.pass(1000);
    expect(limit.let(20)).toBe(5);
    limit.pass(60_000);
    expect(limit.let(20)).toBe(5); // unused requests do not accumulate
  });

  it('counts the requests of another process, and an excess delays the next requests', () => {
    const limit = limited(5);
    limit.add(3);
    expect(limit.let(20)).toBe(2);
    limit.add(5); // both were full at the same time
    limit.pass(1000);
    expect(limit.let(20)).toBe(0);
    limit.pass(1000);
    expect(limit.let(20)).toBe(5);
    limit.add(-1);
    expect(limit.let(20)).toBe(1);
  });

  it('counts each key separately', () => {
    const limit = limited(2);
    expect([limit.let(5, 'a'), limit.let(5, 'b'), limit.let(5, 'a')]).toEqual([2, 2, 0]);
  });

  it('does not count refused requests, and says when to retry', () => {
    const limit = limited(1);
    limit.count();
    limit.pass(250);
    for (let again = 0; again < 10; again++) {
      expect(() => limit.count()).toThrow(expect.objectContaining({ reason: 'RATE_LIMITED', retryAfterSeconds: 1 }));
    }
    limit.pass(750);
    expect(limit.let(5)).toBe(1);
  });

  it('uncounts a request, and never exceeds the maximum', () => {
    const limit = limited(2);
    limit.uncount();
    limit.count();
    limit.uncount();
    limit.uncount();
    expect(limit.let(5)).toBe(2);
    limit.uncount();
    expect(limit.let(5)).toBe(1);
  });

  it('deletes full buckets when there are too many, and keeps the others', () => {
    const limit = limited(1);
    for (let key = 0; key < 10_000; key++) limit.count(`rested-${key}`);
    limit.pass(2000);
    limit.count('busy');
    limit.count('one-more');
    expect(limit.let(1, 'busy')).toBe(0);
    expect(limit.let(1, 'rested-0')).toBe(1);
  });

  it('deletes the oldest bucket if none is full, so that memory is limited', () => {
    const limit = limited(1);
    for (let key = 0; key < 10_001; key++) limit.count(`busy-${key}`);
    expect([limit.let(1, 'busy-10000'), limit.let(1, 'busy-1'), limit.let(1, 'busy-0')]).toEqual([0, 0, 1]);
  });

  it('refills evenly over a window of a minute', () => {
    const limit = limited(120, 60_000);
    expect(limit.let(200)).toBe(120);
    limit.pass(499);
    expect(() => limit.count()).toThrow(expect.objectContaining({ retryAfterSeconds: 1 }));
    limit.pass(1);
    expect(limit.let(5)).toBe(1);
  });
});
