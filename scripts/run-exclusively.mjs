/** Lets one process of a user at a time do something: the others wait until it is done. */
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

const LOOK_AGAIN_MS = 200;

/** Whoever holds the file, which has the number of its process, works. One whose process has ended holds nobody back. */
export function alone(name, work) {
  const path = join(tmpdir(), `tillhouse-${name}-${userInfo().uid}.lock`);
  while (!take(path)) pause();
  try {
    return work();
  } finally {
    rmSync(path, { force: true });
  }
}

function take(path) {
  const own = `${path}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    linkSync(own, path); // there at once and with its number in it, or not at all
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (hasEnded(holderOf(path))) rmSync(path, { force: true });
    return false;
  } finally {
    rmSync(own);
  }
  pause(); // another who found the holder before us ended may be about to remove ours instead
  return holderOf(path) === process.pid;
}

function holderOf(path) {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return undefined; // given back meanwhile
  }
}

function hasEnded(pid) {
  try {
    if (pid !== undefined) process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

function pause() {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_AGAIN_MS);
}
