import { describe, expect, it } from 'vitest';
import { HashQueue } from './hash-queue.js';

describe('HashQueue', () => {
  it('runs two at a time, lets 64 wait and refuses the rest with 503 and Retry-After', async () => {
    const queue = new HashQueue();
    const ends: (() => void)[] = [];
    let [running, most] = [0, 0];
    const work = async (): Promise<string> => {
      most = Math.max(most, ++running);
      await new Promise<void>((resolve) => ends.push(resolve));
      running--;
      return 'done';
    };
    const jobs = Array.from({ length: 70 }, () => queue.run(work));
    const refused = jobs
      .slice(66)
      .map((each) => expect(each).rejects.toMatchObject({ reason: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 2 }));
    await Promise.all(refused);
    const served = jobs.slice(0, 66);
    for (let ended = 0; ended < 66; ended++) {
      while (ends.length === 0) await Promise.resolve();
      ends.shift()?.();
    }
    expect(await Promise.all(served)).toEqual(Array(66).fill('done'));
    expect(most).toBe(2);
  });

  it('continues after a job failed', async () => {
    const queue = new HashQueue();
    const failing = Array.from({ length: 5 }, () => queue.run(() => Promise.reject(new Error('no'))));
    expect((await Promise.allSettled(failing)).map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
    expect(await queue.run(async () => 'done')).toBe('done');
  });
});
