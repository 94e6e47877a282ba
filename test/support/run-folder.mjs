/**
 * The folder of a test run. It contains everything that the run creates, and is removed when the run ends, is interrupted or is killed.
 * Plain JavaScript, because `npm test` opens it before the test runner starts.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, stat, statfs, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasEnded } from '../../scripts/run-exclusively.mjs';
import { processesIn } from './processes.mjs';

const AFTER_RUN = fileURLToPath(new URL('after-run.mjs', import.meta.url));
/** The most that a run needs, with a margin for other programs. */
const NEEDED_BYTES = 4 * 2 ** 30;

/** In the folder of a run: a link to the folder of the test runner, if that is elsewhere. */
export const RUNNER_LINK = 'runner';

export async function openRunFolder(runnerFolder) {
  const places = possiblePlaces();
  for (const place of places) await removeAbandoned(place);
  // The name has the process id of the run, so that other runs see that it is in use.
  const folder = await mkdtemp(join(await firstWithRoom(places), `tillhouse-run-${process.pid}-`));
  if (runnerFolder !== undefined) await symlink(runnerFolder, join(folder, RUNNER_LINK));
  const afterRun = startAfterRun(folder, 'pipe');
  const ended = once(afterRun, 'exit');
  await chmod(folder, 0o755); // some tests run programs under other accounts
  const temporary = join(folder, 'tmp');
  await mkdir(temporary);
  await chmod(temporary, 0o1777);
  // Every child process of the run creates its temporary folders here.
  process.env.TMPDIR = temporary;
  process.env.TILLHOUSE_TEST_FOLDER = folder;
  return {
    folder,
    async close() {
      afterRun.stdin.end();
      await ended;
    },
  };
}

/** It must outlive the run, so Ctrl-C in the terminal must not reach it. */
function startAfterRun(folder, input) {
  return spawn(process.execPath, [AFTER_RUN, folder], { stdio: [input, 'inherit', 'inherit'], detached: true });
}

/** In memory, because disk writes would take most of a start's time, and no test simulates a power loss. A run inside a run stays there. */
function possiblePlaces() {
  return process.env.TILLHOUSE_TEST_FOLDER === undefined ? ['/dev/shm', tmpdir()] : [tmpdir()];
}

async function firstWithRoom(places) {
  for (const place of places.slice(0, -1)) {
    const disk = await statfs(place).catch(() => undefined);
    if (disk !== undefined && disk.bavail * disk.bsize > NEEDED_BYTES) return place;
  }
  return places.at(-1);
}

/** If the process that cleans up was killed too, the next run of the same user does its work. */
async function removeAbandoned(place) {
  for (const name of await readdir(place).catch(() => [])) {
    const [, pid] = /^tillhouse-run-(\d+)-/.exec(name) ?? [];
    if (pid === undefined || !hasEnded(Number(pid))) continue;
    const folder = join(place, name);
    const owner = await stat(folder).catch(() => undefined);
    if (owner === undefined || owner.uid !== process.getuid?.()) continue;
    const isCleanedUp = (await processesIn(folder)).some(({ command }) => command.includes('after-run.mjs'));
    if (!isCleanedUp) startAfterRun(folder, 'ignore').unref();
  }
}
