import { describe, expect, it } from 'vitest';
import { createBatcher } from './batch.js';
import { DatabaseUnavailable } from './unavailable.js';

/** A statement that returns when `release` is called, with the items of each call. */
function slowBatcher(answer: (items: readonly number[]) => Promise<readonly number[]>) {
  const given: (readonly number[])[] = [];
  const waiting: (() => void)[] = [];
  const batched = createBatcher<{ merchantId: string; item: number }, number>(async (asked) => {
    const items = asked.map(({ item }) => item);
    given.push(items);
    await new Promise<void>((resolve) => waiting.push(resolve));
    return answer(items);
  });
  const askFor = (merchantId: string, item: number) => batched({ merchantId, item });
  const ask = (item: number) => askFor('one', item);
  const release = async () => {
    for (const resolve of waiting.splice(0)) resolve();
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  };
  return { ask, askFor, given, release };
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
