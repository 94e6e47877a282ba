import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instant } from '../base/time.js';
import { nextAttempt } from './model.js';

const MINUTES = [1, 2, 4, 8, 15, 30, 60, 120, 240, 480, 480];

describe('nextAttempt (decision 0075)', () => {
  it.each(MINUTES.map((minutes, index) => ({ failures: index + 1, minutes })))(
    'comes $minutes minutes after failure $failures, or up to a tenth later',
    ({ failures, minutes }) => {
      fc.assert(
        fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (chance) => {
          const pause = (nextAttempt(instant(0), failures, chance) ?? Number.NaN) / 60_000;
          expect(pause).toBeGreaterThanOrEqual(minutes);
          expect(pause).toBeLessThanOrEqual(minutes * 1.1);
        }),
      );
      expect(nextAttempt(instant(0), failures, 1)).not.toBe(nextAttempt(instant(0), failures, 0));
    },
  );

  it('returns undefined after the twelfth failure, 24 hours after the first', () => {
    expect(nextAttempt(instant(0), 12, 0)).toBeUndefined();
    expect(MINUTES.reduce((sum, minutes) => sum + minutes)).toBe(24 * 60);
  });
});
