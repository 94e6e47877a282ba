/**
 * `node after-run.mjs FOLDER`: waits until a test run ends, then ends the processes that the run left behind and removes
 * its folder. The run holds the other end of standard input, which closes even when the run is killed.
 */
import { readFile, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { processesIn } from './processes.mjs';

/** The second signal is for a PostgreSQL that still has clients: it ends and leaves no shared memory behind. */
const STEPS = [
  { signal: 'SIGTERM', patienceMs: 1_000 },
  { signal: 'SIGINT', patienceMs: 2_000 },
  { signal: 'SIGKILL', patienceMs: Number.POSITIVE_INFINITY },
];
const PAUSE_MS = 50;

const [folder = ''] = process.argv.slice(2);
if (folder.length < 10) throw new Error('name the folder of the run');
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {}); // the signal is meant for the run
for await (const _ of process.stdin); // no data is expected; the stream only ends

const memory = new Set();
for (const way of STEPS) await end(way);
for (const path of [folder, ...memory]) await rm(path, { recursive: true, force: true, maxRetries: 5 });

/** Sends the signal once to each remaining process, until no process remains. */
async function end({ signal, patienceMs }) {
  const signalled = new Set();
  const until = Date.now() + patienceMs;
  while (Date.now() < until) {
    const left = await processesIn(folder, { orItsEnvironment: true });
    if (left.length === 0) return;
    for (const { pid } of left) {
      if (!signalled.has(pid)) await send(pid, signal);
      signalled.add(pid);
    }
    await sleep(PAUSE_MS);
  }
}

async function send(pid, signal) {
  // A killed PostgreSQL leaves its shared memory behind, which is not in the run's folder.
  const maps = await readFile(`/proc/${pid}/maps`, 'utf8').catch(() => '');
  for (const [segment] of maps.matchAll(/\/dev\/shm\/PostgreSQL\.\d+/g)) memory.add(segment);
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}
