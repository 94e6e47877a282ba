import { describe, expect, it } from 'vitest';
import { newSecret } from './ids.js';
import { estimateBits } from './key-strength.js';

describe('estimateBits', () => {
  it.each([
    'secret',
    'the-key-of-this-test',
    '1234567890123456789012345678901234567',
    '0123456789abcdef0123456789abcde',
    'abcdefghijklmnopqrstuv',
    'a'.repeat(200),
    '1234567890'.repeat(6),
    '0123456789abcdef0123456789abcdef0123456789abcdef',
    'changeme'.repeat(8),
    'correcthorsebatterystaple',
  ])('gives %s less than 128', (key) => {
    expect(estimateBits(key)).toBeLessThan(128);
  });

  it.each(['9f86d081884c7d659a2feaa0c55ad015', 'k3Jx9QpZr2LmVt7WbNc4Ya', newSecret('opk_', 48), newSecret('', 43)])(
    'gives %s at least 128',
    (key) => {
      expect(estimateBits(key)).toBeGreaterThanOrEqual(128);
    },
  );
});
