/** The folder of a test run. It contains everything that the run creates, and is removed when the run ends, is interrupted or is killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stopWithParent } from '../../scripts/parent.mjs';

const AFTER_RUN = fileURLToPath(new URL('after-run.mjs', import.meta.url));
/** The most that a run needs, with a margin for other programs. */
const NEEDED_BYTES = 4 * 2 ** 30;

export interface RunFolder {
  readonly folder: string;
  /** Removes the folder and ends the processes that still run in it. */
  close(): Promise<void>;
}

export async function openRunFolder(): Promise<RunFolder> {
  const folder = await mkdtemp(join(await parentFolder(), 'tillhouse-run-'));
  const afterRun = spawn(process.execPath, [AFTER_RUN, folder], {
    stdio: ['pipe', 'inherit', 'inherit'],
    detached: true, // so that Ctrl-C in the terminal does not reach it
  });
  await chmod(folder, 0o755); // some tests run programs under other accounts
  const temporary = join(folder, 'tmp');
  await mkdir(temporary);
  await chmod(temporary, 0o1777);
  // Every worker and its child processes create their temporary folders here.
  process.env['TMPDIR'] = temporary;
  // `npm test` passes its pid. When that process is gone, the run is not needed any more.
  const { TILLHOUSE_TEST_RUNNER: runner } = process.env;
  if (runner !== undefined) stopWithParent(Number(runner));
  return {
    folder,
    async close() {
      const ended = once(afterRun, 'exit');
      afterRun.stdin.end();
      await ended;
    },
  };
}

/** In memory if there is room: disk writes would take most of a start's time, and no test simulates a power loss. */
async function parentFolder(): Promise<string> {
  const memory = await statfs('/dev/shm').catch(() => undefined);
  const hasRoom = memory !== undefined && memory.bavail * memory.bsize > NEEDED_BYTES;
  return hasRoom ? '/dev/shm' : tmpdir();
}
