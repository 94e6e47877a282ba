import { describe, expect, it } from 'vitest';
import { createBatcher } from './batch.js';
import { DatabaseUnavailable } from './unavailable.js';

/** A statement that returns when `release` is called, with the items of each call. */
function slowBatcher(answer: (items: readonly number[]) => Promise<readonly number[]>, mixes = false) {
  const given: (readonly number[])[] = [];
  const waiting: (() => void)[] = [];
  const batched = createBatcher<{ merchantId: string; item: number }, number>(
    async (asked) => {
      const items = asked.map(({ item }) => item);
      given.push(items);
      await new Promise<void>((resolve) => waiting.push(resolve));
      return answer(items);
    },
    { mayMix: () => mixes },
  );
  const askFor = (merchantId: string, item: number) => batched({ merchantId, item });
  const ask = (item: number) => askFor('one', item);
  const release = async () => {
    for (const resolve of waiting.splice(0)) resolve();
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  };
  /** Only the oldest statement returns. */
  const releaseFirst = async () => {
    const rest = waiting.splice(1);
    await release();
    waiting.unshift(...rest);
  };
  return { ask, askFor, given, release, releaseFirst };
}

const double = async (items: readonly number[]) => items.map((item) => item * 2);

describe('createBatcher', () => {
  it('sends the first items at once, and combines those that arrive meanwhile', async () => {
    const { ask, given, release } = slowBatcher(double);
    const answers = Promise.all([1, 2, 3, 4, 5, 6].map(ask));
    expect(given).toEqual([[1], [2], [3]]);
    await release();
    expect(given.slice(3)).toEqual([[4, 5, 6]]);
    await release();
    expect(await answers).toEqual([2, 4, 6, 8, 10, 12]);
  });

  it('never combines two merchants, and neither waits for the other', async () => {
    const { askFor, given, release } = slowBatcher(double);
    const answers = Promise.all([1, 2, 3, 4, 5].flatMap((item) => [askFor('one', item), askFor('two', item * 10)]));
    expect(given).toEqual([[1], [10], [2], [20], [3], [30]]);
    await release();
    expect(given.slice(6)).toEqual([
      [4, 5],
      [40, 50],
    ]);
    await release();
    expect(await answers).toEqual([2, 20, 4, 40, 6, 60, 8, 80, 10, 100]);
  });

  it('sends at most 64 items in one statement', async () => {
    const { ask, given, release } = slowBatcher(double);
    const answers = Promise.all(Array.from({ length: 100 }, (_, item) => ask(item)));
    await release();
    expect(given.slice(3).map(({ length }) => length)).toEqual([64, 33]);
    await release();
    expect(await answers).toHaveLength(100);
  });

  it('retries each item alone after a batch fails, so that only the faulty one fails', async () => {
    const { ask, given, release } = slowBatcher(async (items) => {
      if (items.includes(5)) throw new Error('five');
      return double(items);
    });
    const answers = Promise.allSettled([1, 2, 3, 4, 5, 6].map(ask));
    await release();
    await release();
    expect(given.slice(4)).toEqual([[4], [5], [6]]);
    await release();
    expect((await answers).map((answer) => ('value' in answer ? answer.value : answer.reason.message))).toEqual([
      ...[2, 4, 6, 8],
      'five',
      12,
    ]);
  });

  it('does not retry after a lost connection, because the statement may have been committed', async () => {
    const { ask, given, release } = slowBatcher(async (items) => {
      if (items.length === 1) return double(items);
      throw new DatabaseUnavailable('cut', { code: 'CONNECTION_CLOSED' });
    });
    const answers = Promise.allSettled([1, 2, 3, 4, 5].map(ask));
    await release();
    await release();
    expect(given.slice(3)).toEqual([[4, 5]]);
    expect((await answers).map(({ status }) => status)).toEqual([
      ...['fulfilled', 'fulfilled', 'fulfilled'],
      ...['rejected', 'rejected'],
    ]);
  });
});

describe('createBatcher of several merchants', () => {
  it('combines items of all merchants', async () => {
    const { askFor, given, release } = slowBatcher(double, true);
    const answers = Promise.all([1, 2, 3, 4, 5].flatMap((item) => [askFor('one', item), askFor('two', item * 10)]));
    expect(given).toEqual([[1], [10], [2]]);
    await release();
    expect(given.slice(3)).toEqual([[20, 30, 40, 50, 3, 4, 5]]);
    await release();
    expect(await answers).toEqual([2, 20, 4, 40, 6, 60, 8, 80, 10, 100]);
  });

  it('gives every merchant a share of the next statement, however many items one of them has', async () => {
    const { askFor, given, release } = slowBatcher(double, true);
    for (let item = 0; item < 1_000; item++) void askFor('greedy', item);
    for (let merchant = 1; merchant <= 10; merchant++) void askFor(`merchant ${merchant}`, -merchant);
    await release();
    const [next = []] = given.slice(3);
    expect(next).toHaveLength(64);
    expect(next.filter((item) => item < 0)).toHaveLength(10);
  });

  it('serves merchants in turn if there are more than a statement has room for', async () => {
    const { askFor, given, release } = slowBatcher(double, true);
    for (let round = 0; round < 10; round++)
      for (let merchant = 0; merchant < 100; merchant++) void askFor(`merchant ${merchant}`, merchant);
    await release();
    const served = given.slice(3, 5).flat();
    expect(served).toHaveLength(128);
    expect(new Set(served).size).toBe(100);
  });

  it('sends each merchant separately after a failure, and no other merchant waits for that', async () => {
    const { askFor, given, release, releaseFirst } = slowBatcher(async (items) => {
      if (items.includes(13)) throw new Error('thirteen');
      return double(items);
    }, true);
    const first = [1, 2, 3].map((item) => askFor('filler', item));
    const good = [4, 5].map((item) => askFor('good', item));
    const bad = [13, 14].map((item) => askFor('bad', item).catch((error: Error) => error.message));
    await release();
    expect(given.slice(3)).toEqual([[4, 5, 13, 14]]);
    await releaseFirst();
    expect(given.slice(4)).toEqual([
      [4, 5],
      [13, 14],
    ]);
    // Other merchants can use the whole limit of shared statements, although those two are still in flight.
    for (const item of [21, 22, 23]) void askFor(`other ${item}`, item);
    expect(given.slice(6)).toEqual([[21], [22], [23]]);
    await release();
    expect(given.slice(9)).toEqual([[13], [14]]);
    await release();
    expect(await Promise.all([...first, ...good, ...bad])).toEqual([2, 4, 6, 8, 10, 'thirteen', 28]);
    void askFor('bad', 15);
    void askFor('good', 16);
    expect(given.slice(11)).toEqual([[15], [16]]);
  });

  it('does not repeat anything after a lost connection', async () => {
    const { askFor, given, release } = slowBatcher(async (items) => {
      if (items.length === 1) return double(items);
      throw new DatabaseUnavailable('cut', { code: 'CONNECTION_CLOSED' });
    }, true);
    const answers = Promise.allSettled(['a', 'b', 'c', 'd', 'e'].map((merchant, index) => askFor(merchant, index)));
    await release();
    await release();
    expect(given).toEqual([[0], [1], [2], [3, 4]]);
    expect((await answers).map(({ status }) => status)).toEqual([
      ...['fulfilled', 'fulfilled', 'fulfilled'],
      ...['rejected', 'rejected'],
    ]);
  });
});
