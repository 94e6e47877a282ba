import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CredentialCache } from './credential-cache.js';

/** The credential `x1` belongs to the merchant `x`, who has a shard of the same name. */
const directory = {
  async locate(hash: string) {
    const [merchantId = ''] = hash;
    return merchantId === '?' ? undefined : { merchantId, shard: merchantId };
  },
};

/** Fake timers, so that refreshes do not depend on how busy the machine is. Lookups still use the real event loop. */
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** Resolves when lookups that were started have reached the database. */
const reach = () => new Promise(setImmediate);

/** A cache whose lookups return when the test says so, each with the value that it read when it started. */
function slowCache() {
  let current = 'old';
  const inFlight: (() => void)[] = [];
  const cache = new CredentialCache<string>(directory, (asked) => {
    const read = new Map(asked.map(({ hash }) => [hash, current]));
    return new Promise((resolve) => inFlight.push(() => resolve(read)));
  });
  return {
    cache,
    lookups: () => inFlight.length,
    answer: (lookup: number) => inFlight[lookup]?.(),
    /** A committed change that this server made. */
    change(value: string) {
      current = value;
      cache.invalidate('a');
    },
  };
}

describe('CredentialCache', () => {
  it('does not cache a value that was read before a change', async () => {
    const { cache, change, answer, lookups } = slowCache();
    const early = cache.find('a');
    await reach();
    change('new');
    answer(0);
    const late = cache.find('a');
    // The early reader repeats its lookup too, because its value was outdated when it arrived.
    for (let lookup = 1; lookup < 3; lookup++) {
      await reach();
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
    await reach();
    change('new');
    const late = cache.find('a');
    await reach();
    answer(1);
    expect(await late).toBe('new');
    answer(0);
    await reach();
    answer(2);
    expect(await early).toBe('new');
    expect(await cache.find('a')).toBe('new');
    cache.close();
  });

  it('runs one lookup for simultaneous readers', async () => {
    const { cache, answer, lookups } = slowCache();
    const readers = [cache.find('a'), cache.find('a'), cache.find('a')];
    await reach();
    answer(0);
    expect(await Promise.all(readers)).toEqual(['old', 'old', 'old']);
    expect(lookups()).toBe(1);
    cache.close();
  });

  it('does not let a reader join a lookup that is older than a second', async () => {
    const { cache, answer, lookups } = slowCache();
    const early = cache.find('a');
    await pass(1001);
    const late = cache.find('a');
    await reach();
    expect(lookups()).toBe(2);
    answer(0);
    answer(1);
    await Promise.all([early, late]);
    cache.close();
  });

  it('caches that a credential is unknown, without a lookup', async () => {
    const { cache, lookups } = slowCache();
    expect(await cache.find('?')).toBeUndefined();
    expect(await cache.find('?')).toBeUndefined();
    expect(lookups()).toBe(0);
    cache.close();
  });

  it('refreshes the credentials of a shard together, and of each shard alone', async () => {
    const asked: string[][] = [];
    const cache = new CredentialCache<string>(directory, async (credentials) => {
      const hashes = credentials.map(({ hash }) => hash);
      asked.push(hashes);
      return new Map(hashes.map((hash) => [hash, 'known']));
    });
    for (const hash of ['a1', 'b1', 'a2']) await cache.find(hash);
    asked.length = 0;
    await pass(600);
    expect(asked).toEqual([['a1', 'a2'], ['b1']]);
    cache.close();
  });

  it('refreshes only those that were used last if very many are in use', async () => {
    const asked: string[][] = [];
    const cache = new CredentialCache<string>(directory, async (credentials) => {
      const hashes = credentials.map(({ hash }) => hash);
      asked.push(hashes);
      return new Map(hashes.map((hash) => [hash, 'known']));
    });
    await Promise.all(Array.from({ length: 300 }, (_, index) => cache.find(`a${index}`)));
    await pass(500);
    asked.length = 0;
    const using = setInterval(() => cache.find('a299'), 100);
    await pass(1000);
    clearInterval(using);
    expect(asked.length).toBeGreaterThan(0);
    expect(new Set(asked.flat())).toEqual(new Set(['a299']));
    asked.length = 0;
    expect(await cache.find('a7')).toBe('known');
    expect(asked).toEqual([['a7']]);
    cache.close();
  });

  it.each(['fails', 'does not answer'])('keeps the credentials of other shards in use while one %s', async (how) => {
    let isDown = false;
    let lookups = 0;
    const cache = new CredentialCache<string>(directory, async (credentials) => {
      if (isDown && credentials.some(({ merchantId }) => merchantId === 'a')) {
        if (how === 'fails') throw new Error('down');
        await new Promise(() => {});
      }
      lookups += credentials.length;
      return new Map(credentials.map(({ hash }) => [hash, 'known']));
    });
    for (const hash of ['a', 'b']) await cache.find(hash);
    isDown = true;
    await pass(1500);
    const before = lookups;
    expect(await cache.find('b')).toBe('known');
    expect(lookups).toBe(before); // it was refreshed in the background
    const ofOther = Promise.resolve(cache.find('a')).catch((error: Error) => error.message);
    const timeLimit = new Promise((resolve) => setTimeout(resolve, 50, 'waits'));
    await pass(50);
    expect(await Promise.race([ofOther, timeLimit])).toBe(how === 'fails' ? 'down' : 'waits');
    cache.close();
  });
});
