/**
 * Tells a database that is slow from one that is gone. A connection that is silent although something is waited for is looked up in
 * PostgreSQL's own list of what it does, on another connection: what it works on is left alone however long it takes; what it knows
 * nothing of was lost on the way; and where nobody answers at all, the database is away.
 */
import type { Connection } from './connection.js';
import { afterPatience, TICK_MS } from './patience.js';
import type { Pool } from './pool.js';
import { codeOf, DatabaseUnavailable, isTroubleWithWriting, whyUnavailable } from './unavailable.js';

/** A connection is given up when PostgreSQL has said so often, each after another silence, that it does not work for it. */
const MOST_DOUBTS = 2;
/** How often writing is tried again while it does not work. */
const TRY_WRITING_TICKS = 5;
/** How long PostgreSQL may take to say what it does; it only has to look into its memory. */
const LIST_MS = 300;
/** Shorter, on a connection that has said it before: where that is silent too, a new one still has to be tried in time. */
const LIST_AGAIN_MS = 100;
/** How long it may take to try writing, where it has to wait for its disk. */
const TRY_MS = 5_000;

export interface HealthOptions {
  readonly pool: Pool;
  readonly dial: () => Promise<Connection>;
  readonly silentMs: number;
  /** Connections that only read are of no use: there may be another host. */
  readonly mustBeWritable: boolean;
  readonly onTrouble: (error: unknown) => void;
  readonly onCured: () => void;
}

export class Health {
  readonly #options: HealthOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #silentTicks: number;
  #observer: Connection | undefined;
  #isLooking = false;
  #isStopped = false;
  /** Why nothing can be written, although the database answers. */
  #trouble: unknown;
  #ticksToNextTry = 0;

  constructor(options: HealthOptions) {
    this.#options = options;
    this.#silentTicks = Math.ceil(options.silentMs / TICK_MS);
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
  }

  /** Undefined where nothing is known to be wrong. */
  get trouble(): string | undefined {
    const { down } = this.#options.pool;
    const reasons = [down, this.#trouble].flatMap((error) => (error ? [whyUnavailable(error)] : []));
    return reasons.length === 0 ? undefined : [...new Set(reasons)].join(' ');
  }

  /** A statement failed: perhaps all that write will. */
  hear(error: unknown): void {
    if (!isTroubleWithWriting(error)) return;
    // A primary that was demoted: new connections may lead to the one that took over.
    if (codeOf(error) === '25006') {
      if (this.#options.mustBeWritable) this.#options.pool.goDown(error);
      else this.#options.pool.renew();
    }
    if (this.#trouble === undefined) this.#options.onTrouble(error);
    this.#trouble = error;
    this.#ticksToNextTry = TRY_WRITING_TICKS;
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
    this.#dismissObserver();
  }

  #tick(): void {
    let [isSilent, isTimeToLook] = [false, false];
    for (const connection of this.#options.pool.connections) {
      connection.listenForSilence();
      if (connection.silentTicks < this.#silentTicks) continue;
      isSilent = true;
      if (connection.silentTicks % this.#silentTicks === 0) isTimeToLook = true;
    }
    if (!this.#isLooking) {
      if (isTimeToLook) void this.#look();
      else if (!isSilent) this.#dismissObserver();
    }
    if (this.#trouble !== undefined && --this.#ticksToNextTry === 0) void this.#tryWriting();
  }

  /** At those that have been silent for too long. */
  async #look(): Promise<void> {
    const { pool } = this.#options;
    this.#isLooking = true;
    const before = new Map([...pool.connections].map((connection) => [connection, connection.bytesHeard]));
    try {
      const working = await this.#listWorking();
      for (const connection of [...pool.connections]) this.#judge(connection, working);
    } catch (error) {
      this.#dismissObserver();
      const isHeard = [...pool.connections].some((each) => each.bytesHeard > (before.get(each) ?? 0));
      // That there is no connection left for us, PostgreSQL has said itself.
      if (!isHeard && !codeOf(error).startsWith('53')) pool.goDown(error);
    } finally {
      this.#isLooking = false;
      if (this.#isStopped) this.#dismissObserver(); // it may have been connected only now
    }
  }

  #judge(connection: Connection, working: Working): void {
    const { pid, silentTicks, doubts } = connection;
    if (pid === undefined || silentTicks < this.#silentTicks * (doubts + 1)) return;
    const state = working.get(pid);
    if (state === 'working' || (state === 'waiting for us' && connection.isCopying)) return;
    connection.doubts += 1;
    if (connection.doubts >= MOST_DOUBTS) connection.lose(wentSilent());
  }

  async #listWorking(): Promise<Working> {
    const known = this.#observer && (await within(LIST_AGAIN_MS, this.#observer, listWorking).catch(() => undefined));
    if (known) return known;
    this.#dismissObserver();
    this.#observer = await this.#options.dial();
    return within(LIST_MS, this.#observer, listWorking);
  }

  #dismissObserver(): void {
    void this.#observer?.close();
    this.#observer = undefined;
  }

  async #tryWriting(): Promise<void> {
    const connection = await this.#options.dial().catch(() => undefined);
    try {
      if (!connection) return;
      await within(TRY_MS, connection, tryWriting);
      this.#trouble = undefined;
      this.#options.onCured();
    } catch (error) {
      if (isTroubleWithWriting(error)) this.#trouble = error;
    } finally {
      void connection?.close();
      this.#ticksToNextTry = TRY_WRITING_TICKS;
    }
  }
}

function wentSilent(): DatabaseUnavailable {
  return new DatabaseUnavailable('the connection to the database went silent', { code: 'CONNECT_TIMEOUT' });
}

/** By the id of PostgreSQL's process. */
type Working = ReadonlyMap<number, 'working' | 'waiting for us'>;

/** Nobody else looks after connections that are not the pool's. */
async function within<Result>(
  milliseconds: number,
  connection: Connection,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const callOff = afterPatience(milliseconds, () => connection.lose(wentSilent()));
  try {
    return await work(connection);
  } finally {
    callOff();
  }
}

/** PostgreSQL calls a process active from the first message of a statement to the end of its answer. */
async function listWorking({ sql }: Connection): Promise<Working> {
  const rows = await sql<{ pid: number; waitsForUs: boolean }[]>`
    select pid, coalesce(wait_event = 'ClientRead', false) as "waitsForUs"
    from pg_stat_activity
    where usename = current_user and state not like 'idle%'`;
  return new Map(rows.map(({ pid, waitsForUs }) => [pid, waitsForUs ? 'waiting for us' : 'working']));
}

/** A new table takes room for itself, for its entry and for the log of it: what nobody keeps, but all that a write needs. */
async function tryWriting({ sql }: Connection): Promise<void> {
  await sql`
    create temporary table tillhouse_tries_writing on commit drop as
    select repeat('x', 100) as filler from generate_series(1, 1000)`;
}
