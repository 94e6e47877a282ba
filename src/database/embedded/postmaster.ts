/** Runs PostgreSQL's main process, the postmaster: launches it, waits until it is ready, finds it and stops it. */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type SystemAccount, spawnAs } from './account.js';
import type { Binaries } from './binaries.js';
import { cannotRun, folderArgument, isAboutFullDisk, PLAIN_ENVIRONMENT } from './cluster.js';

const POLL_MS = 10;
/** A fast shutdown (SIGINT) waits for a checkpoint. After the timeout SIGQUIT leaves that to the recovery of the next start. */
const TIMEOUT_MS = { SIGINT: 5_000, SIGQUIT: 1_500, SIGKILL: Number.POSITIVE_INFINITY };
const KEPT_LINES = 20;

type StopSignal = 'SIGINT' | 'SIGQUIT' | 'SIGKILL';

export interface LaunchOptions {
  readonly binaries: Binaries;
  readonly account: SystemAccount | undefined;
  readonly folder: string;
  readonly port: number;
  /** The process id in `postmaster.pid` if that process is no PostgreSQL of this folder. */
  readonly stalePid: number | undefined;
  readonly isDisposable: boolean;
  readonly log: (line: string) => void;
}

/** Why PostgreSQL exited before it was ready. All reasons except `other` can go away by themselves. */
export type LaunchFailure =
  | 'port taken'
  | 'folder taken'
  | 'lock file empty'
  | 'memory in use'
  | 'no room'
  | 'interrupted'
  | 'other';

export class Postmaster {
  readonly pid: number;
  readonly exited: Promise<void>;
  hasExited = false;
  readonly #child: ChildProcess;
  readonly #options: LaunchOptions;
  readonly #lastLines: string[] = [];
  readonly #outputEnded: Promise<unknown>;
  /** Shuts PostgreSQL down if this process exits without having called `stop`. */
  readonly #interruptAtExit = (): void => this.signal('SIGINT');

  private constructor(child: ChildProcess & { readonly pid: number }, options: LaunchOptions) {
    this.pid = child.pid;
    this.#child = child;
    this.#options = options;
    process.on('exit', this.#interruptAtExit);
    this.exited = new Promise((resolve) => {
      child.once('exit', () => {
        this.hasExited = true;
        process.off('exit', this.#interruptAtExit);
        resolve();
      });
    });
    this.#outputEnded = new Promise((resolve) => child.once('close', resolve));
    if (child.stderr === null) return;
    createInterface({ input: child.stderr }).on('line', (line) => {
      this.#lastLines.push(line);
      if (this.#lastLines.length > KEPT_LINES) this.#lastLines.shift();
      options.log(line);
    });
  }

  /** PostgreSQL gets its own session, so that Ctrl-C in a terminal reaches only this process, which drains requests first. */
  static async launch(options: LaunchOptions): Promise<Postmaster> {
    const { binaries, account, folder, stalePid } = options;
    const child = spawn(binaries.postgres, ['-D', folderArgument(folder, account), ...settings(options)], {
      ...spawnAs(account),
      cwd: folder,
      // PostgreSQL treats every running process as the owner of its lock file, except the one in this variable.
      env: { ...PLAIN_ENVIRONMENT, ...(stalePid !== undefined && { PG_GRANDPARENT_PID: String(stalePid) }) },
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: true,
      windowsHide: true,
    });
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (cause) => reject(cannotRun(binaries.postgres, cause)));
    });
    return new Postmaster(child as ChildProcess & { readonly pid: number }, options);
  }

  /** After this no other PostgreSQL starts on the folder. */
  async untilInLockFile(): Promise<void> {
    await this.#untilLockFile((file) => file.pid === this.pid);
  }

  /** Waits without a timeout, because a recovery after a crash can take long. Returns the reason if PostgreSQL exits instead. */
  async untilReady(): Promise<LaunchFailure | undefined> {
    if (await this.#untilLockFile((file) => file.pid === this.pid && file.status === 'ready')) return undefined;
    await Promise.race([this.#outputEnded, sleep(500)]);
    const output = this.output();
    const signal = this.#child.signalCode; // it aborts itself if it panics
    if ((signal !== null && signal !== 'SIGABRT') || /received (smart|fast|immediate) shutdown request/.test(output)) {
      return 'interrupted';
    }
    if (/could not (create any TCP\/IP sockets|bind IPv4 address)/.test(output)) return 'port taken';
    if (/lock file ".*" already exists|could not remove old lock file/.test(output)) return 'folder taken';
    if (/lock file ".*" is empty/.test(output)) return 'lock file empty';
    if (/pre-existing shared memory block/.test(output)) return 'memory in use';
    if (isAboutFullDisk(output)) return 'no room';
    return 'other';
  }

  async #untilLockFile(isReached: (file: PostmasterFile) => boolean): Promise<boolean> {
    while (!this.hasExited) {
      const file = await readPostmasterFile(this.#options.folder);
      if (file !== undefined && isReached(file)) return true;
      await Promise.race([sleep(POLL_MS), this.exited]);
    }
    return false;
  }

  /** The last lines of PostgreSQL's log. */
  output(): string {
    return this.#lastLines.join('\n');
  }

  signal(name: StopSignal): void {
    if (!this.hasExited) sendSignal({ pid: this.pid, name, pgCtl: this.#options.binaries.pgCtl });
  }

  async stop(): Promise<void> {
    await escalate(
      (name) => this.signal(name),
      () => this.hasExited,
    );
    await Promise.race([this.#outputEnded, sleep(500)]);
    this.#child.stderr?.destroy(); // a child process that hangs would keep the pipe open, and this process running
  }

  /** Leaves PostgreSQL running, because another process has taken control of it. */
  disown(): void {
    process.off('exit', this.#interruptAtExit);
    this.#child.stderr?.destroy();
    this.#child.unref();
  }
}

export interface PostmasterFile {
  readonly pid: number;
  readonly port: number;
  readonly status: string;
}

/** Reads PostgreSQL's lock file, which can be a stale one from before a crash. */
export async function readPostmasterFile(folder: string): Promise<PostmasterFile | undefined> {
  const lines = (await readFile(join(folder, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  const pid = Number(lines[0]);
  return pid > 0 ? { pid, port: Number(lines[3] ?? 0), status: lines[7]?.trim() ?? '' } : undefined;
}

/** Process ids are reused, so a running process with this id is not necessarily PostgreSQL. */
export async function isPostmasterOf(folder: string, pid: number): Promise<boolean> {
  if (process.platform === 'linux') {
    const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
    if (name.trim() !== 'postgres') return false;
    const [theirs, ours] = await Promise.all([stat(`/proc/${pid}/cwd`).catch(() => undefined), stat(folder)]);
    return theirs?.dev === ours.dev && theirs.ino === ours.ino;
  }
  const [program, parameters] =
    process.platform === 'win32'
      ? ['tasklist', ['/FI', `PID eq ${pid}`, '/FO', 'CSV', '/NH']]
      : ['ps', ['-o', 'command=', '-p', String(pid)]];
  const listed = await promisify(execFile)(program, parameters).catch(() => ({ stdout: '' }));
  return listed.stdout.includes('postgres') && (process.platform === 'win32' || listed.stdout.includes(folder));
}

export async function stopForeignPostmaster(options: {
  readonly pid: number;
  readonly folder: string;
  readonly binaries: Binaries;
}): Promise<void> {
  const { pid, folder, binaries } = options;
  await escalate(
    (name) => sendSignal({ pid, name, pgCtl: binaries.pgCtl }),
    async () => !(await isPostmasterOf(folder, pid)),
  );
}

/**
 * The range is below the ephemeral ports of operating systems. Otherwise a pool that tries to reconnect while PostgreSQL restarts
 * could get PostgreSQL's port as its local port and connect to itself.
 */
export async function pickFreePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const isFree = await new Promise<boolean>((resolve) => {
      const probe = createServer();
      probe.once('error', () => resolve(false));
      probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}

/** Syncing would take most of the time of creating a database. Each server of a test run has a pool of connections. */
const DISPOSABLE = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: 500 };

/** Only mandatory settings. Sizes and limits are in postgresql.conf, which initdb wrote, so that operators can change them. */
function settings({ port, isDisposable }: LaunchOptions): string[] {
  const values = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    cluster_name: 'tillhouse',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_destination: 'stderr',
    logging_collector: 'off',
    log_line_prefix: '[%p] ',
    log_min_messages: 'warning',
    // Statements can contain personal data, which must not be logged.
    log_min_error_statement: 'panic',
    log_checkpoints: 'off',
    // SSDs read random pages almost as fast as sequential ones, so the planner should prefer an index to a sort.
    random_page_cost: '1.1',
    // The statements of this server are too short for JIT compilation to pay off.
    jit: 'off',
    ...(isDisposable && DISPOSABLE),
  };
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Synchronous, because it is also called while the process exits. */
function sendSignal({ pid, name, pgCtl }: { pid: number; name: StopSignal; pgCtl: string }): void {
  if (process.platform === 'win32') {
    spawnSync(pgCtl, ['kill', name.replace('SIG', ''), String(pid)], { windowsHide: true });
    return;
  }
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function escalate(signal: (name: StopSignal) => void, isGone: () => boolean | Promise<boolean>): Promise<void> {
  for (const name of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    if (await isGone()) return;
    signal(name);
    const since = performance.now();
    while (performance.now() - since < TIMEOUT_MS[name]) {
      if (await isGone()) return;
      await sleep(POLL_MS);
    }
  }
}
