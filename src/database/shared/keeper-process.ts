/** Starts the keeper of a shared PostgreSQL as a process that outlives this one, and notices if it cannot do its work. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { environmentOfOwnPrograms } from '../../base/config.js';

/** Built from src/keeper.ts. */
const PROGRAM = fileURLToPath(new URL('../../keeper.js', import.meta.url));

export class KeeperProcess {
  /** What the keeper said if it failed. */
  failure: string | undefined;
  hasEnded = false;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    child.once('close', (status) => {
      this.hasEnded = true;
      if (status !== 0) this.failure = said.trim() || `The keeper of the database ended with ${status}.`;
    });
  }

  /** In a session of its own: neither Ctrl-C nor the end of this process reaches it. It has no output that anybody could wait for. */
  static async start(dataDir: string): Promise<KeeperProcess> {
    const child = spawn(process.execPath, [PROGRAM, dataDir], {
      cwd: dataDir,
      env: environmentOfOwnPrograms(),
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
      windowsHide: true,
    });
    await once(child, 'spawn');
    return new KeeperProcess(child);
  }

  /** This process may end before it. */
  leave(): void {
    this.#child.stderr?.destroy();
    this.#child.unref();
  }
}
