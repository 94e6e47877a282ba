import { describe, expect, it } from 'vitest';
import { CredentialCache } from './credential-cache.js';

/** A cache whose lookups return when the test says so, each with the value that it read when it started. */
function slowCache() {
  let current = 'old';
  const inFlight: (() => void)[] = [];
  const cache = new CredentialCache<string>((hashes) => {
    const read = new Map(hashes.map((hash) => [hash, current]));
    return new Promise((resolve) => inFlight.push(() => resolve(read)));
  });
  return {
    cache,
    lookups: () => inFlight.length,
    answer: (lookup: number) => inFlight[lookup]?.(),
    /** A committed change that this server made. */
    change(value: string) {
      current = value;
      cache.forget(() => true);
    },
  };
}

describe('CredentialCache', () => {
  it('does not cache a value that was read before a change', async () => {
    const { cache, change, answer, lookups } = slowCache();
    const early = cache.find('a');
    change('new');
    answer(0);
    const late = cache.find('a');
    // The early reader repeats its lookup too, because its value was outdated when it arrived.
    for (let lookup = 1; lookup < 3; lookup++) {
      await new Promise(setImmediate);
      answer(lookup);
    }
    expect(await Promise.all([early, late])).toEqual(['new', 'new']);
    expect(await cache.find('a')).toBe('new');
    expect(lookups()).toBe(3);
    cache.close();
  });

  it('starts a new lookup for a reader after a change', async () => {
    const { cache, change, answer } = slowCache();
    const early = cache.find('a');
    change('new');
    const late = cache.find('a');
    answer(1);
    expect(await late).toBe('new');
    answer(0);
    await new Promise(setImmediate);
    answer(2);
    expect(await early).toBe('new');
    expect(await cache.find('a')).toBe('new');
    cache.close();
  });

  it('runs one lookup for simultaneous readers', async () => {
    const { cache, answer, lookups } = slowCache();
    const readers = [cache.find('a'), cache.find('a'), cache.find('a')];
    answer(0);
    expect(await Promise.all(readers)).toEqual(['old', 'old', 'old']);
    expect(lookups()).toBe(1);
    cache.close();
  });

  it('does not let a reader join a lookup that is older than a second', async () => {
    const { cache, answer, lookups } = slowCache();
    const early = cache.find('a');
    await new Promise((resolve) => setTimeout(resolve, 1001));
    const late = cache.find('a');
    expect(lookups()).toBe(2);
    answer(0);
    answer(1);
    await Promise.all([early, late]);
    cache.close();
  });
});
