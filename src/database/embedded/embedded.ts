/** Runs the PostgreSQL that Tillhouse brings along on a data folder, and starts it again when it dies. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { databaseUrl } from './connection.js';
import { isFilled } from './folder.js';
import { DataFolderInUse, FolderLock } from './lock.js';
import { bringUp, type Occupied, type Place, preparePlace, type Running, StartFailure } from './start.js';

export { DataFolderInUse } from './lock.js';

/** In a row, of those that will not heal by themselves: a file is missing, a setting is wrong. */
const MAX_FAILURES = 5;
/** PostgreSQL that ran for this long before it died is started again without a pause. */
const STEADY_MS = 10_000;
const MAX_BACKOFF_MS = 5_000;
/** How long a stop waits for a repair that does not notice it. */
const REPAIR_TIMEOUT_MS = 2_000;
const RELOCK_MS = 100;
/** How long another holder of the lock may be a passing one, before we believe that the folder was taken from us. */
const TAKEN_MS = 10_000;
/** How long a command waits for other commands on the folder. */
const COMMAND_TIMEOUT_MS = 60_000;

export interface EmbeddedPostgres {
  /** The server's database, as the ordinary role that owns it. */
  readonly url: string;
  /** Why it cannot be started at the moment, in words; undefined while it runs. */
  readonly outage: string | undefined;
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  dataDir: string;
  log?: (line: string) => void;
  /** What whoever runs the server should know: once when it ended, once for each new reason why it cannot start. */
  warn?: (line: string) => void;
  onGiveUp?: (error: Error) => void;
}

/** Whether a server, or a command, has made a database there. */
export function hasEmbedded(dataDir: string): Promise<boolean> {
  return isFilled(join(dataDir, 'postgres'));
}

/** Starts PostgreSQL on `<dataDir>/postgres` for a server; refuses when another live server holds the data folder. */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const place = await preparePlace({ dataDir: options.dataDir, role: 'server', log: options.log ?? ignore });
  const started = await SupervisedPostgres.start(place, options);
  if (started instanceof SupervisedPostgres) return started;
  throw new DataFolderInUse(place.dataDir, started.holder);
}

/**
 * For a command-line command: uses the PostgreSQL of a live server on that folder, or starts one just for the command.
 * `stop()` then stops that one, and leaves a server's alone.
 */
export async function borrowEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const place = await preparePlace({ dataDir: options.dataDir, role: 'command', log: options.log ?? ignore });
  const since = performance.now();
  for (;;) {
    const started = await SupervisedPostgres.start(place, options);
    if (started instanceof SupervisedPostgres) return started;
    const { holder, port } = started;
    if (holder.role === 'server') {
      return { url: databaseUrl({ port, password: place.password }), outage: undefined, stop: async () => {} };
    }
    // Another command's PostgreSQL ends with that command, perhaps in the middle of ours: we go after it.
    if (performance.now() - since > COMMAND_TIMEOUT_MS) throw new DataFolderInUse(place.dataDir, holder);
    await sleep(RELOCK_MS);
  }
}

class SupervisedPostgres implements EmbeddedPostgres {
  readonly url: string;
  outage: string | undefined;
  readonly #place: Place;
  readonly #warn: (line: string) => void;
  readonly #onGiveUp: (error: Error) => void;
  /** Aborted when PostgreSQL is no longer to be kept running: it was stopped, or we gave up. */
  readonly #ending = new AbortController();
  #running: Running;
  #upSince = performance.now();
  #quickDeaths = 0;
  /** Restarts and re-taken locks go one after another. */
  #repairs: Promise<void> = Promise.resolve();
  #stopped: Promise<void> | undefined;

  private constructor(place: Place, running: Running, { warn, onGiveUp }: EmbeddedOptions) {
    this.url = databaseUrl({ port: running.port, password: place.password });
    this.#place = place;
    this.#warn = warn ?? ignore;
    this.#onGiveUp = onGiveUp ?? ignore;
    this.#running = running;
    this.#watch();
  }

  static async start(place: Place, options: EmbeddedOptions): Promise<SupervisedPostgres | Occupied> {
    let supervised: SupervisedPostgres | undefined;
    const started = await bringUp(place, {
      onLockLost: () => {
        if (supervised !== undefined) supervised.#repairLock();
      },
      signal: new AbortController().signal,
    });
    if ('holder' in started) return started;
    supervised = new SupervisedPostgres(place, started, options);
    return supervised;
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#shutDown();
    return this.#stopped;
  }

  /** The lock is held until PostgreSQL is gone: nobody shall find it running and free. */
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

  /** Until it runs or cannot heal: who waits for room on a disk, or kills it again and again, finds it back afterwards. */
  async #restart(): Promise<void> {
    if (this.#ending.signal.aborted) return;
    this.#quickDeaths = performance.now() - this.#upSince > STEADY_MS ? 0 : this.#quickDeaths + 1;
    let [failures, pauseMs] = [1, this.#quickDeaths === 0 ? 0 : Math.min(100 * 2 ** this.#quickDeaths, MAX_BACKOFF_MS)];
    this.#place.log(`PostgreSQL ended unexpectedly:\n${this.#running.postmaster.output()}`);
    this.#warn('PostgreSQL ended unexpectedly and is started again');
    while (!this.#ending.signal.aborted) {
      this.#place.log(`starting PostgreSQL again after failure ${failures} of ${MAX_FAILURES}`);
      await sleep(pauseMs, undefined, { signal: this.#ending.signal }).catch(ignore);
      try {
        return await this.#startAgain();
      } catch (error) {
        if (this.#ending.signal.aborted) return;
        if (this.#canHeal(error)) failures = 1;
        else if (++failures >= MAX_FAILURES) return this.#giveUp(error as Error);
      }
      pauseMs = Math.min(Math.max(200, 2 * pauseMs), MAX_BACKOFF_MS);
    }
  }

  #canHeal(error: unknown): boolean {
    if (!(error instanceof StartFailure) || error.failure === 'other') return false;
    const outage =
      error.failure === 'no room' ? 'The disk of the database is full.' : 'The database cannot be started yet.';
    if (this.outage !== outage) this.#warn(`PostgreSQL cannot be started, and is tried again: ${error.message}`);
    this.outage = outage;
    return true;
  }

  /** On the same port, so that a pool that knows the old PostgreSQL only has to connect again. */
  async #startAgain(): Promise<void> {
    await this.#running.lock.release();
    const started = await bringUp(this.#place, {
      port: this.#running.port,
      onLockLost: () => this.#repairLock(),
      signal: this.#ending.signal,
    });
    if ('holder' in started) return this.#giveUp(new DataFolderInUse(this.#place.dataDir, started.holder));
    this.#running = started;
    this.#upSince = performance.now();
    this.outage = undefined;
    this.#watch();
  }

  #repairLock(): void {
    this.#repairs = this.#repairs.then(() => this.#takeLockAgain());
  }

  /** PostgreSQL also closes all connections, ours among them, when one of its processes crashes, and then goes on. */
  async #takeLockAgain(): Promise<void> {
    const { postmaster, port } = this.#running;
    let refusedSince: number | undefined;
    for (;;) {
      await Promise.race([sleep(RELOCK_MS), postmaster.exited]);
      if (this.#ending.signal.aborted || postmaster.hasExited) return;
      try {
        const lock = await FolderLock.take(
          { port, password: this.#place.password },
          { role: this.#place.role, onLost: () => this.#repairLock() },
        );
        if (lock instanceof FolderLock) {
          this.#running = { ...this.#running, lock };
          return;
        }
        refusedSince ??= performance.now();
        if (performance.now() - refusedSince < TAKEN_MS) continue;
        postmaster.disown();
        return this.#giveUp(new DataFolderInUse(this.#place.dataDir, lock));
      } catch {
        refusedSince = undefined;
      }
    }
  }

  #giveUp(error: Error): void {
    this.#ending.abort();
    this.#place.log(`giving up on PostgreSQL: ${error.message}`);
    this.#onGiveUp(error);
  }
}

function ignore(): void {}
