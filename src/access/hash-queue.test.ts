import { describe, expect, it } from 'vitest';
import { HashQueue } from './hash-queue.js';

describe('HashQueue', () => {
  it('runs two at a time, lets 24 of one wait and refuses the rest with 503 and Retry-After', async () => {
    const queue = new HashQueue();
    const ends: (() => void)[] = [];
    let [running, most] = [0, 0];
    const work = async (): Promise<string> => {
      most = Math.max(most, ++running);
      await new Promise<void>((resolve) => ends.push(resolve));
      running--;
      return 'done';
    };
    const jobs = Array.from({ length: 30 }, () => queue.run('one', work));
    const refused = jobs
      .slice(26)
      .map((each) => expect(each).rejects.toMatchObject({ reason: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 2 }));
    await Promise.all(refused);
    const served = jobs.slice(0, 26);
    for (let ended = 0; ended < 26; ended++) {
      while (ends.length === 0) await Promise.resolve();
      ends.shift()?.();
    }
    expect(await Promise.all(served)).toEqual(Array(26).fill('done'));
    expect(most).toBe(2);
  });

  it('lets those who wait take turns', async () => {
    const queue = new HashQueue();
    const done: string[] = [];
    const run = (whose: string) => queue.run(whose, async () => void done.push(whose));
    await Promise.all(['a', 'a', 'a', 'a', 'a', 'b', 'b', 'c'].map(run));
    expect(done.slice(2)).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
  });

  it('lets 256 wait in all', async () => {
    const queue = new HashQueue();
    const jobs = Array.from({ length: 260 }, (_, index) => queue.run(String(index), async () => 'done'));
    const outcomes = await Promise.allSettled(jobs);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(2);
  });

  it('continues after a job failed', async () => {
    const queue = new HashQueue();
    const failing = Array.from({ length: 5 }, () => queue.run('one', () => Promise.reject(new Error('no'))));
    expect((await Promise.allSettled(failing)).map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
    expect(await queue.run('one', async () => 'done')).toBe('done');
  });
});
