/** Runs a program with the standard streams of this process, and passes signals on to it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { constants } from 'node:os';

const PASSED_ON = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
/** The terminal sends these to the program too, if there is one: twice would mean something else to many programs. */
const FROM_KEYBOARD: readonly string[] = ['SIGINT', 'SIGQUIT'];
/** What shells exit with. */
const [CANNOT_RUN, NOT_FOUND, SIGNALLED] = [126, 127, 128];
/** After a signal, a preparation that has not finished by then is aborted. */
const PREPARATION_LIMIT_MS = 7_000;

export class ChildProgram {
  readonly #name: string;
  readonly #args: readonly string[];
  #child: ChildProcess | undefined;
  #signalled: number | undefined;

  /** From now on signals no longer end this process. One that arrives before `run` keeps the program from being started. */
  constructor([name = '', ...args]: readonly string[]) {
    this.#name = name;
    this.#args = args;
    const hasTerminal = isThereTerminal();
    for (const signal of PASSED_ON) {
      process.on(signal, () => {
        const status = SIGNALLED + constants.signals[signal];
        this.#signalled ??= status;
        if (this.#child === undefined)
          setTimeout(() => this.#child ?? process.exit(status), PREPARATION_LIMIT_MS).unref();
        else if (!hasTerminal || !FROM_KEYBOARD.includes(signal)) this.#child.kill(signal);
      });
    }
  }

  /** Returns the exit status as a shell does: 128 and the number of the signal if one ended the program. */
  run(env: NodeJS.ProcessEnv): Promise<number> {
    if (this.#signalled !== undefined) return Promise.resolve(this.#signalled);
    const child = spawn(this.#name, this.#args, {
      env,
      stdio: 'inherit',
      shell: process.platform === 'win32', // where npm and its like are scripts
    });
    this.#child = child;
    return new Promise((resolve) => {
      child.once('exit', (code, signal) => resolve(code ?? SIGNALLED + constants.signals[signal ?? 'SIGTERM']));
      child.once('error', (error: NodeJS.ErrnoException) => {
        const isMissing = error.code === 'ENOENT';
        console.error(`tillhouse: ${this.#name} cannot be run: ${isMissing ? 'it was not found.' : error.message}`);
        resolve(isMissing ? NOT_FOUND : CANNOT_RUN);
      });
    });
  }

  /** Asks the program to end. */
  end(): void {
    this.#child?.kill('SIGTERM');
  }
}

function isThereTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
