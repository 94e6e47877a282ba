/**
 * Starts a sandbox in a child process. There it has a clock and an event loop of its own: a test may use fake timers, block, or be in any
 * module system. The child ends with this process, also if this one is killed.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { environmentOfOwnPrograms } from '../base/config.js';
import { type FromServer, fromPlain, type ToServer } from './messages.js';
import type { Sandbox } from './sandbox.js';
import type { StartOptions } from './start-options.js';

/** Built from src/kit-server.ts. */
const PROGRAM = fileURLToPath(new URL('../kit-server.js', import.meta.url));

export class ServerProcess {
  /** Fails if the server cannot start, or is stopped before. */
  readonly started: Promise<Sandbox>;
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  #isStopping = false;

  constructor(options: StartOptions) {
    const child = fork(PROGRAM, [], {
      env: environmentOfOwnPrograms(),
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'], // its log is on standard error
    });
    this.#child = child;
    this.#exited = new Promise((resolve) => child.once('exit', resolve).once('error', resolve));
    this.started = new Promise((resolve, reject) => {
      let onFailure = reject;
      const fail = (error: Error): void => {
        onFailure(error);
        onFailure = () => {}; // an error is followed by the end of the process
      };
      child.on('message', (message: FromServer) => {
        if (message.kind === 'failed') return fail(fromPlain(message.error));
        onFailure = throwLater; // the tests cannot continue
        this.#letProcessEnd();
        resolve(message.sandbox);
      });
      child.once('error', fail);
      child.once('exit', (status, signal) => {
        if (this.#isStopping) reject(new Error('The server was stopped before it had started.'));
        else fail(new Error(`The server of this test has ended (${signal ?? status}).`));
      });
    });
    this.started.catch(() => {}); // whoever waits for it gets the error
    this.#send({ kind: 'start', options });
  }

  /** Can be called at any time, also before the server has started. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#child.ref();
    this.#send({ kind: 'stop' });
    await this.#exited;
  }

  #send(message: ToServer): void {
    if (this.#child.connected) this.#child.send(message);
  }

  /** A test process that has forgotten to stop its server ends nevertheless. */
  #letProcessEnd(): void {
    if (this.#isStopping) return;
    this.#child.unref();
    this.#child.channel?.unref();
  }
}

function throwLater(error: unknown): void {
  setImmediate(() => {
    throw error;
  });
}
