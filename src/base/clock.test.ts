/** A merchant's clock has an offset from real time, or is frozen (decision 0040). */
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { clockAt, nowOn, realNow } from './clock.js';
import { instant } from './time.js';

const instants = fc.integer({ min: 0, max: 4_102_444_800_000 }).map(instant);
const [real, time] = [instant(1_700_000_000_000), instant(1_582_711_200_000)];

afterEach(() => {
  vi.useRealTimers();
});

describe('realNow', () => {
  it('is the time of the machine', () => {
    vi.useFakeTimers({ now: real });
    expect(realNow()).toBe(real);
  });
});

describe('nowOn', () => {
  it('is real time on a clock that was not moved', () => {
    expect(nowOn({ offsetMs: 0, frozenAt: null }, real)).toBe(real);
  });

  it('keeps its offset while real time passes', () => {
    const clock = clockAt(time, false, real);
    expect(nowOn(clock, real)).toBe(time);
    expect(nowOn(clock, instant(real + 5000))).toBe(time + 5000);
  });

  it('does not change on a frozen clock', () => {
    const clock = clockAt(time, true, real);
    expect(nowOn(clock, instant(real + 86_400_000))).toBe(time);
  });

  it('uses the time of the machine by default', () => {
    vi.useFakeTimers({ now: real });
    const clock = clockAt(time, false);
    vi.advanceTimersByTime(1234);
    expect(nowOn(clock)).toBe(time + 1234);
  });
});

describe('clockAt', () => {
  it('shows the time it was set to, running or frozen', () => {
    fc.assert(
      fc.property(instants, instants, fc.boolean(), (target, machine, frozen) => {
        const clock = clockAt(target, frozen, machine);
        expect(nowOn(clock, machine)).toBe(target);
        expect(clock.frozenAt !== null).toBe(frozen);
      }),
    );
  });

  it('continues from the frozen time when it runs again', () => {
    fc.assert(
      fc.property(instants, instants, fc.nat(10_000_000), (target, machine, pause) => {
        const frozen = clockAt(target, true, machine);
        const later = instant(machine + pause);
        const running = clockAt(nowOn(frozen, later), false, later);
        expect(nowOn(running, later)).toBe(target);
        expect(nowOn(running, instant(later + 1000))).toBe(target + 1000);
      }),
    );
  });
});
