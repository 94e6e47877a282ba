/** Runs the embedded PostgreSQL on a data folder, and restarts it when it exits. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { databaseUrl } from './connection.js';
import { isFilled } from './folder.js';
import { DataFolderInUse, FolderLock } from './lock.js';
import {
  type DataFolder,
  type OwnedByOther,
  prepareDataFolder,
  type Running,
  StartFailure,
  startOrFindOwner,
} from './start.js';

export { DataFolderInUse } from './lock.js';
export { StartFailure } from './start.js';

/** The maximum number of permanent failures in a row, such as a missing file or a wrong setting. */
const MAX_FAILURES = 5;
/** If PostgreSQL ran for this long before it exited, it is restarted without a pause. */
const STEADY_MS = 10_000;
const MAX_BACKOFF_MS = 5_000;
/** How long a stop waits for a running repair. */
const REPAIR_TIMEOUT_MS = 2_000;
const RELOCK_MS = 100;
/** Another process can hold the lock for a short time. After this time the folder counts as taken over. */
const TAKEN_MS = 10_000;
/** How long a command waits for other commands on the folder. */
const COMMAND_TIMEOUT_MS = 60_000;

export interface EmbeddedPostgres {
  /** The URL of the server's database, with the ordinary role that owns it. */
  readonly url: string;
  /** The reason why it cannot be started, as a sentence; undefined while it runs. */
  readonly outage: string | undefined;
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  dataDir: string;
  log?: (line: string) => void;
  /** Messages for the operator: one when PostgreSQL exits, and one for each new reason why it cannot start. */
  warn?: (message: string, error?: Error) => void;
  onGiveUp?: (error: Error) => void;
  /** Nobody misses the data, and many programs use it: nothing is synced to disk, and there are more connections. */
  isDisposable?: boolean;
}

/** Whether the data folder has an embedded database. */
export function hasEmbedded(dataDir: string): Promise<boolean> {
  return isFilled(join(dataDir, 'postgres'));
}

/** Starts PostgreSQL on `<dataDir>/postgres` for a server. Throws if another process uses the data folder. */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { dataDir, log = ignore, isDisposable = false } = options;
  const dataFolder = await prepareDataFolder({ dataDir, role: 'server', log, isDisposable });
  const started = await SupervisedPostgres.start(dataFolder, options);
  if (started instanceof SupervisedPostgres) return started;
  throw new DataFolderInUse(dataFolder.dataDir, started.holder);
}

/**
 * For a command: uses the PostgreSQL of a running server on that folder, or starts one for the command only. `stop()` stops
 * PostgreSQL only if the command started it.
 */
export async function shareEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { dataDir, log = ignore, isDisposable = false } = options;
  const dataFolder = await prepareDataFolder({ dataDir, role: 'command', log, isDisposable });
  const since = performance.now();
  for (;;) {
    const started = await SupervisedPostgres.start(dataFolder, options);
    if (started instanceof SupervisedPostgres) return started;
    const { holder, port } = started;
    if (holder.role === 'server') {
      return { url: databaseUrl({ port, password: dataFolder.password }), outage: undefined, stop: async () => {} };
    }
    // The PostgreSQL of another command stops when that command ends, perhaps in the middle of this one, so wait for its end.
    if (performance.now() - since > COMMAND_TIMEOUT_MS) throw new DataFolderInUse(dataFolder.dataDir, holder);
    await sleep(RELOCK_MS);
  }
}

class SupervisedPostgres implements EmbeddedPostgres {
  readonly url: string;
  outage: string | undefined;
  readonly #dataFolder: DataFolder;
  readonly #warn: (message: string, error?: Error) => void;
  readonly #onGiveUp: (error: Error) => void;
  /** Aborted when PostgreSQL must not be restarted any more: after `stop`, or after too many failures. */
  readonly #ending = new AbortController();
  #running: Running;
  #upSince = performance.now();
  #quickExits = 0;
  /** Restarts and repairs of the lock run one after the other. */
  #repairs: Promise<void> = Promise.resolve();
  #stopped: Promise<void> | undefined;

  private constructor(dataFolder: DataFolder, running: Running, { warn, onGiveUp }: EmbeddedOptions) {
    this.url = databaseUrl({ port: running.port, password: dataFolder.password });
    this.#dataFolder = dataFolder;
    this.#warn = warn ?? ignore;
    this.#onGiveUp = onGiveUp ?? ignore;
    this.#running = running;
    this.#watch();
  }

  static async start(dataFolder: DataFolder, options: EmbeddedOptions): Promise<SupervisedPostgres | OwnedByOther> {
    let supervised: SupervisedPostgres | undefined;
    const started = await startOrFindOwner(dataFolder, {
      onLockLost: () => {
        if (supervised !== undefined) supervised.#repairLock();
      },
      signal: new AbortController().signal,
    });
    if ('holder' in started) return started;
    supervised = new SupervisedPostgres(dataFolder, started, options);
    return supervised;
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#shutDown();
    return this.#stopped;
  }

  /** Holds the lock until PostgreSQL has exited, so that no other process finds it running without a lock. */
  async #shutDown(): Promise<void> {
    const gaveUp = this.#ending.signal.aborted;
    this.#ending.abort();
    await Promise.race([this.#repairs, sleep(REPAIR_TIMEOUT_MS, undefined, { ref: false })]);
    if (!gaveUp) await this.#running.postmaster.stop();
    await this.#running.lock.release();
  }

  #watch(): void {
    void this.#running.postmaster.exited.then(() => {
      this.#repairs = this.#repairs.then(() => this.#restart());
    });
  }

  /** Retries without limit after temporary failures, such as a full disk, and gives up after MAX_FAILURES permanent ones. */
  async #restart(): Promise<void> {
    if (this.#ending.signal.aborted) return;
    this.#quickExits = performance.now() - this.#upSince > STEADY_MS ? 0 : this.#quickExits + 1;
    let [failures, pauseMs] = [1, this.#quickExits === 0 ? 0 : Math.min(100 * 2 ** this.#quickExits, MAX_BACKOFF_MS)];
    this.#dataFolder.log(`PostgreSQL exited unexpectedly:\n${this.#running.postmaster.output()}`);
    this.#warn('embedded PostgreSQL: exited unexpectedly, restarting');
    while (!this.#ending.signal.aborted) {
      this.#dataFolder.log(`restarting PostgreSQL after failure ${failures} of ${MAX_FAILURES}`);
      await sleep(pauseMs, undefined, { signal: this.#ending.signal }).catch(ignore);
      try {
        return await this.#restartOnce();
      } catch (error) {
        if (this.#ending.signal.aborted) return;
        if (this.#isTemporary(error)) failures = 1;
        else if (++failures >= MAX_FAILURES) return this.#giveUp(error as Error);
      }
      pauseMs = Math.min(Math.max(200, 2 * pauseMs), MAX_BACKOFF_MS);
    }
  }

  #isTemporary(error: unknown): boolean {
    if (!(error instanceof StartFailure) || error.failure === 'other') return false;
    const outage =
      error.failure === 'no room' ? 'The disk of the database is full.' : 'The database cannot be started yet.';
    if (this.outage !== outage) this.#warn('embedded PostgreSQL: start failed, will retry', error);
    this.outage = outage;
    return true;
  }

  /** Uses the same port, so that the pool only has to reconnect. */
  async #restartOnce(): Promise<void> {
    await this.#running.lock.release();
    const started = await startOrFindOwner(this.#dataFolder, {
      port: this.#running.port,
      onLockLost: () => this.#repairLock(),
      signal: this.#ending.signal,
    });
    if ('holder' in started) return this.#giveUp(new DataFolderInUse(this.#dataFolder.dataDir, started.holder));
    this.#running = started;
    this.#upSince = performance.now();
    this.outage = undefined;
    this.#watch();
  }

  #repairLock(): void {
    this.#repairs = this.#repairs.then(() => this.#takeLockAgain());
  }

  /** When one of its processes crashes, PostgreSQL closes all connections, including the one with the lock, and continues. */
  async #takeLockAgain(): Promise<void> {
    const { postmaster, port } = this.#running;
    let refusedSince: number | undefined;
    for (;;) {
      await Promise.race([sleep(RELOCK_MS), postmaster.exited]);
      if (this.#ending.signal.aborted || postmaster.hasExited) return;
      try {
        const lock = await FolderLock.take(
          { port, password: this.#dataFolder.password },
          { role: this.#dataFolder.role, onLost: () => this.#repairLock() },
        );
        if (lock instanceof FolderLock) {
          this.#running = { ...this.#running, lock };
          return;
        }
        refusedSince ??= performance.now();
        if (performance.now() - refusedSince < TAKEN_MS) continue;
        postmaster.disown();
        return this.#giveUp(new DataFolderInUse(this.#dataFolder.dataDir, lock));
      } catch {
        refusedSince = undefined;
      }
    }
  }

  #giveUp(error: Error): void {
    this.#ending.abort();
    this.#dataFolder.log(`giving up on PostgreSQL: ${error.message}`);
    this.#onGiveUp(error);
  }
}

function ignore(): void {}
