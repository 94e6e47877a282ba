import { describe, expect, it } from 'vitest';
import { Refusal } from '../../base/errors.js';
import { instant, parseTime, printMilliseconds } from '../../base/time.js';
import { delayedUntilOf, requireDelay } from './delay-model.js';

const at = (time: string) => parseTime(time) ?? instant(0);

describe('delayedUntilOf', () => {
  it('is 168 hours after the payment was created, also across a daylight-saving change', () => {
    const createdAt = at('2020-03-07T10:00:00.154Z');
    const until = delayedUntilOf({ createdAt, delayDuration: null, delayAction: null });
    expect(printMilliseconds(until)).toBe('2020-03-14T10:00:00.154Z');
  });

  it.each([
    ['PT1M', '2020-02-28T10:01:00.154Z'],
    ['PT36H', '2020-02-29T22:00:00.154Z'],
    ['P1DT12H', '2020-02-29T22:00:00.154Z'],
    ['P2W', '2020-03-13T10:00:00.154Z'],
    ['P1M', '2020-03-28T10:00:00.154Z'],
  ])('is %s after the payment was created, if the application said so', (delayDuration, until) => {
    const createdAt = at('2020-02-28T10:00:00.154Z');
    expect(printMilliseconds(delayedUntilOf({ createdAt, delayDuration, delayAction: null }))).toBe(until);
  });
});

describe('requireDelay', () => {
  const reasonOf = (duration: string) => {
    try {
      requireDelay({ createdAt: at('2020-02-28T10:00:00.154Z'), delayDuration: duration, delayAction: null });
    } catch (error) {
      return error instanceof Refusal ? error.reason : error;
    }
    return undefined;
  };

  it.each(['PT1M', 'PT60S', 'PT36H', 'P7D', 'P36D', 'PT864H', 'P1M', 'P5W'])('allows %s', (duration) => {
    expect(reasonOf(duration)).toBeUndefined();
  });

  it.each([
    ...['P', 'PT', '7D', '-P1D', 'P-1D', 'PT1.5H', 'P1DT', '1 hour', 'PT1H ', 'P9999Y', 'p7d'].map((text) => [
      text,
      'INVALID_VALUE',
    ]),
    ...['PT0S', 'PT59S', 'P0D'].map((text) => [text, 'VALUE_TOO_LOW']),
    ...['P36DT1S', 'PT865H', 'P2M', 'P1Y'].map((text) => [text, 'VALUE_TOO_HIGH']),
  ])('refuses %s: %s', (duration, reason) => {
    expect(reasonOf(duration)).toBe(reason);
  });
});
