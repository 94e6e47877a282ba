/** The folder that everything lies in which a test run makes: it goes when the run ends, also when that is interrupted or killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stopWithParent } from '../../scripts/parent.mjs';

const AFTER_RUN = fileURLToPath(new URL('after-run.mjs', import.meta.url));
/** What a run needs at most, and some room for others. */
const NEEDED_BYTES = 4 * 2 ** 30;

export interface RunFolder {
  readonly folder: string;
  /** Removes it with all that still runs in it. */
  close(): Promise<void>;
}

export async function openRunFolder(): Promise<RunFolder> {
  const folder = await mkdtemp(join(await parentFolder(), 'tillhouse-run-'));
  const afterRun = spawn(process.execPath, [AFTER_RUN, folder], {
    stdio: ['pipe', 'inherit', 'inherit'],
    detached: true, // so that a Ctrl-C in the terminal does not reach it
  });
  await chmod(folder, 0o755); // some tests have programs run under other accounts
  const temporary = join(folder, 'tmp');
  await mkdir(temporary);
  await chmod(temporary, 0o1777);
  // Every worker, and whatever it starts, makes its temporary folders here.
  process.env['TMPDIR'] = temporary;
  // `npm test` says who it is; once it is gone, nobody waits for the run.
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

/** In memory where there is room: writing to disk would take most of a start's time, and no test pulls the plug. */
async function parentFolder(): Promise<string> {
  const memory = await statfs('/dev/shm').catch(() => undefined);
  const hasRoom = memory !== undefined && memory.bavail * memory.bsize > NEEDED_BYTES;
  return hasRoom ? '/dev/shm' : tmpdir();
}
