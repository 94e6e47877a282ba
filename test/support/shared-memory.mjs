/**
 * Removes the shared memory of a killed PostgreSQL. It is in no folder, and only the next PostgreSQL on the same data folder would remove
 * it. What a process uses is known only while it lives, so it is noted in the folder of the run before the process is killed.
 * Plain JavaScript, because `after-run.mjs` runs without a build.
 */
import { execFile } from 'node:child_process';
import { appendFile, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Files in memory, by their path, and System V segments, by their id. Only Linux shows them. Some are used by child processes only. */
export async function sharedMemoryOf(pid) {
  const children = (await read(`/proc/${pid}/task/${pid}/children`)).split(' ').filter(Boolean);
  const maps = await Promise.all([pid, ...children].map((each) => read(`/proc/${each}/maps`)));
  const found = maps.join('').matchAll(/(\/dev\/shm\/PostgreSQL\.\d+)|(\d+) +\/SYSV/g);
  return [...new Set([...found].map(([, path, id]) => path ?? id))];
}

function read(path) {
  return readFile(path, 'utf8').catch(() => '');
}

/** Sends a signal after the memory of the process is noted. The process is stopped meanwhile, so that it cannot take more. */
export async function signalWithNote(pid, signal, runFolder = process.env.TILLHOUSE_TEST_FOLDER) {
  send(pid, 'SIGSTOP');
  await noteSharedMemory(pid, runFolder);
  send(pid, signal);
  send(pid, 'SIGCONT');
}

/** For a process that is about to be killed by another one. */
export async function noteSharedMemory(pid, runFolder = process.env.TILLHOUSE_TEST_FOLDER) {
  const used = await sharedMemoryOf(pid);
  if (used.length === 0) return;
  await mkdir(join(runFolder, 'memory'), { recursive: true });
  await appendFile(join(runFolder, 'memory', String(pid)), `${used.join('\n')}\n`);
}

function send(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH' && error.code !== 'EPERM') throw error; // it has ended, or another user only looks at the folder
  }
}

export async function removeNotedMemory(runFolder) {
  const notes = join(runFolder, 'memory');
  for (const name of await readdir(notes).catch(() => [])) {
    for (const one of (await readFile(join(notes, name), 'utf8')).split('\n').filter(Boolean)) {
      if (one.startsWith('/')) await rm(one, { force: true });
      else await promisify(execFile)('ipcrm', ['-m', one]).catch(() => {}); // removed meanwhile by the next PostgreSQL
    }
  }
}
