/** Which keys are a scan, and which are a person who types. */
import { describe, expect, it } from 'vitest';
import { collect, isScan } from './use-scanner.js';

function type(text: string, pauseMs: number) {
  let typed = { text: '', at: 0 };
  let now = 1000;
  for (const key of text) {
    typed = collect(typed, key, now);
    now += pauseMs;
  }
  return { typed, now };
}

describe('a scan', () => {
  it('is fast', () => {
    const { typed, now } = type('4006381333931', 8);
    expect(typed.text).toBe('4006381333931');
    expect(isScan(typed, now)).toBe(true);
  });

  it('is not what a person types', () => {
    const { typed, now } = type('4006381333931', 120);
    expect(typed.text).toBe('1');
    expect(isScan(typed, now)).toBe(false);
  });

  it('is not a single fast key, and not one that was typed long ago', () => {
    expect(isScan(type('12', 5).typed, 1010)).toBe(false);
    const { typed } = type('4006381', 8);
    expect(isScan(typed, 5000)).toBe(false);
  });

  it('ignores keys without a character', () => {
    expect(collect({ text: 'AB', at: 1000 }, 'Shift', 1010).text).toBe('AB');
  });

  it('has a limited length', () => {
    expect(type('x'.repeat(2000), 1).typed.text.length).toBeLessThanOrEqual(512);
  });
});
