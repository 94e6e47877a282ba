import { describe, expect, it } from 'vitest';
import { readCall, SERVE_FLAGS, toServeConfig } from './config.js';

const rateLimit = (...args: string[]) => toServeConfig(readCall(args, SERVE_FLAGS).values).rateLimit;
const PRODUCTION = ['--mode', 'production', '--processor', 'simulator'];

describe('--rate-limit', () => {
  it('is off in a sandbox and 100 in production, where nothing is said (decision 0081)', () => {
    expect(rateLimit()).toBeUndefined();
    expect(rateLimit(...PRODUCTION)).toBe(100);
  });

  it('is what is said in either, and 0 is off', () => {
    expect(rateLimit('--rate-limit', '5')).toBe(5);
    expect(rateLimit(...PRODUCTION, '--rate-limit', '5')).toBe(5);
    expect(rateLimit(...PRODUCTION, '--rate-limit', '0')).toBeUndefined();
  });

  it.each(['-1', '1.5', 'x', '1000001'])('refuses %s', (value) => {
    expect(() => rateLimit(`--rate-limit=${value}`)).toThrow('--rate-limit');
  });
});
