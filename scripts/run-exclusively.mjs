/** Runs work in only one process of a user at a time; other processes wait. */
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

const POLL_MS = 200;

/** A lock file contains the id of the process that holds it. The lock of a process that has ended is ignored. */
export function runExclusively(name, work) {
  const path = join(tmpdir(), `tillhouse-${name}-${userInfo().uid}.lock`);
  while (!acquire(path)) pause();
  try {
    return work();
  } finally {
    rmSync(path, { force: true });
  }
}

function acquire(path) {
  const own = `${path}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    linkSync(own, path); // atomic: the file never exists without its content
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (hasEnded(holderOf(path))) rmSync(path, { force: true });
    return false;
  } finally {
    rmSync(own);
  }
  pause(); // another process that saw the previous, ended holder may be about to remove our lock instead
  return holderOf(path) === process.pid;
}

function holderOf(path) {
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return undefined; // released meanwhile
  }
}

export function hasEnded(pid) {
  try {
    if (pid !== undefined) process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

function pause() {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS);
}
