import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Refusal } from '../base/errors.js';
import { RateLimit } from './rate-limit.js';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

function refusalOf(limit: RateLimit, subject: string): Refusal | undefined {
  try {
    limit.count(subject);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

describe('RateLimit', () => {
  it('lets so many through in a minute, tells when it goes on, and then does', () => {
    const limit = new RateLimit(3);
    for (let n = 0; n < 3; n++) expect(refusalOf(limit, 'one')).toBeUndefined();
    vi.advanceTimersByTime(45_000);
    expect(refusalOf(limit, 'one')).toMatchObject({ reason: 'RATE_LIMITED', retryAfterSeconds: 15 });
    vi.advanceTimersByTime(14_999);
    expect(refusalOf(limit, 'one')).toMatchObject({ retryAfterSeconds: 1 });
    vi.advanceTimersByTime(1);
    for (let n = 0; n < 3; n++) expect(refusalOf(limit, 'one')).toBeUndefined();
    expect(refusalOf(limit, 'one')).toMatchObject({ retryAfterSeconds: 60 });
  });

  it('counts each subject by itself', () => {
    const limit = new RateLimit(1);
    expect(refusalOf(limit, 'one')).toBeUndefined();
    expect(refusalOf(limit, 'two')).toBeUndefined();
    expect(refusalOf(limit, 'one')).toBeInstanceOf(Refusal);
  });

  it('forgets first what is over when many come, so that who is limited stays so', () => {
    const limit = new RateLimit(1);
    for (let n = 0; n < 9_999; n++) limit.count(`old ${n}`);
    vi.advanceTimersByTime(60_000);
    limit.count('new');
    for (let n = 0; n < 5_000; n++) limit.count(`more ${n}`);
    expect(refusalOf(limit, 'new')).toBeInstanceOf(Refusal);
  });
});
