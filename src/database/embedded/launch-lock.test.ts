import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { acquireLaunchLock } from './launch-lock.js';

it('waits for the lock without a warning', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tillhouse-turn-'));
  const warnings: string[] = [];
  const note = ({ message }: Error): void => void warnings.push(message);
  process.on('warning', note);
  try {
    const endFirst = await acquireLaunchLock(folder);
    let isAcquired = false;
    const second = acquireLaunchLock(folder).then((end) => {
      isAcquired = true;
      return end;
    });
    await sleep(300); // many tries
    expect(isAcquired).toBe(process.platform !== 'linux');
    await endFirst();
    await (await second)();
    expect(warnings).toEqual([]);
  } finally {
    process.off('warning', note);
    await rm(folder, { recursive: true });
  }
});
