/**
 * `node after-run.mjs FOLDER`: waits until a test run ends, then ends the processes that the run left behind, removes its folder, and drops
 * its databases on the server of DATABASE_URL or the cluster of CITUS_URL. The run holds the other end of standard input, which closes even when the run is killed.
 */
import { execFile } from 'node:child_process';
import { readFile, readlink, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { processesIn } from './processes.mjs';
import { RUNNER_LINK } from './run-folder.mjs';
import { removeNotedMemory, signalWithNote } from './shared-memory.mjs';

/**
 * A PostgreSQL that is killed leaves its shared memory behind, and the one that `initdb` runs does so after any signal, so the memory
 * is noted. The second signal is for a PostgreSQL that still has clients: it ends and leaves no shared memory behind.
 */
const STEPS = [
  { signal: 'SIGTERM', patienceMs: 1_000 },
  { signal: 'SIGINT', patienceMs: 2_000 },
  { signal: 'SIGKILL', patienceMs: 30_000 },
];
const PAUSE_MS = 50;

const [folder = ''] = process.argv.slice(2);
if (folder.length < 10) throw new Error('name the folder of the run');
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {}); // the signal is meant for the run
for await (const _ of process.stdin); // no data is expected; the stream only ends

for (const step of STEPS) if (await end(step)) break;
await removeNotedMemory(folder);
await unmountAll();
for (const each of [await runnerFolder(), folder]) {
  if (each !== undefined) await rm(each, { recursive: true, force: true, maxRetries: 5 });
}
await dropDatabases().catch(({ message }) => console.error(`Databases of the test run are left: ${message}`));

/**
 * Sends the signal once to each remaining process. Returns whether all have ended. It looks twice, because a process that is just being
 * started shows neither arguments nor environment.
 */
async function end({ signal, patienceMs }) {
  const signalled = new Set();
  const until = Date.now() + patienceMs;
  for (let timesEmpty = 0; timesEmpty < 2; await sleep(PAUSE_MS)) {
    if (Date.now() > until) return false;
    const left = await processesIn(folder, { orItsEnvironment: true });
    timesEmpty = left.length === 0 ? timesEmpty + 1 : 0;
    for (const { pid } of left) {
      if (!signalled.has(pid)) await signalWithNote(pid, signal, folder);
      signalled.add(pid);
    }
  }
  return true;
}

/** The folder that the test runner has chosen itself, before the folder of the run existed. */
function runnerFolder() {
  return readlink(join(folder, RUNNER_LINK)).catch(() => undefined);
}

/** Loads the driver only if it is needed: the script that installs it may be what was interrupted. */
async function dropDatabases() {
  const { CITUS_URL, DATABASE_URL } = process.env;
  if (!CITUS_URL && !DATABASE_URL) return;
  const [{ findNodes }, { dropRun }] = await Promise.all([import('./cluster.mjs'), import('./run-databases.mjs')]);
  await dropRun(CITUS_URL ? (await findNodes(CITUS_URL)).map(({ url }) => url) : [DATABASE_URL], folder);
}

/** A test mounts a small disk to fill it. A folder on which something is mounted cannot be removed. */
async function unmountAll() {
  const mounts = await readFile('/proc/mounts', 'utf8').catch(() => ''); // Linux only, like that test
  const places = mounts.split('\n').map((line) => line.split(' ')[1] ?? '');
  for (const place of places.filter((each) => each.startsWith(`${folder}/`))) {
    await promisify(execFile)('umount', [place]).catch(({ message }) => console.error(message));
  }
}
