/** `tillhouse stop`: stops the server that runs on the data folder, as SIGTERM does, and waits until it has ended. */
import { setTimeout as sleep } from 'node:timers/promises';
import { DATA_FLAGS, toDataDir, UsageError } from '../base/config.js';
import { readServerRecord } from '../server/server-file.js';
import { command } from './declare.js';
import { describeNotRunning } from './running-server.js';
import { isHealthy } from './status.js';

const FLAGS = { 'data-dir': DATA_FLAGS['data-dir'] } as const;
const POLL_MS = 50;

export const stopCommand = command({
  name: 'stop',
  summary: 'stop the server that runs on the data folder',
  usage: '[--data-dir FOLDER]',
  about:
    'Stops the server that runs on the data folder: it finishes the requests in flight. Returns when it has ended.',
  flags: FLAGS,
  async run({ values }) {
    const dataDir = toDataDir(values);
    const record = await readServerRecord(dataDir);
    if (!record) throw new UsageError(describeNotRunning(dataDir));
    const { pid, local_url } = record;
    // A server that was killed leaves its record behind, and its process id may be that of another program now.
    if (!isRunning(pid) || !(await isHealthy(local_url))) throw new UsageError(describeNotRunning(dataDir));
    process.kill(pid, 'SIGTERM');
    while (isRunning(pid)) await sleep(POLL_MS);
    console.log(`The server at ${record.base_url} has stopped.`);
  },
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw new Error(`Process ${pid} belongs to another user, who can stop it.`, { cause: error });
  }
}
