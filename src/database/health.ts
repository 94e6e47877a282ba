/**
 * Tells a database that is slow from one that is gone. A connection that is silent although something is waited for is looked up in
 * PostgreSQL's own list of what it does, on another connection: what it works on is left alone however long it takes; what it knows
 * nothing of was lost on the way; and where nobody answers at all, the database is away.
 */
import type { Connection } from './connection.js';
import { TICK_MS } from './patience.js';
import type { Pool } from './pool.js';
import { codeOf, DatabaseUnavailable, isTroubleWithWriting, whyUnavailable } from './unavailable.js';

/** A connection is lost when PostgreSQL says so often that it does not work for it. */
const MOST_DOUBTS = 2;
/** How often writing is tried again while it does not work. */
const TRY_WRITING_TICKS = 5;
/** Longer than any one answer needs; the connection for looking is then made anew. */
const ENOUGH_TICKS = 4;

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
    clearInterval(this.#timer);
    this.#dismissObserver();
  }

  #tick(): void {
    const { connections } = this.#options.pool;
    let isSilent = false;
    for (const connection of connections) {
      connection.listenForSilence();
      if (connection.silentTicks >= this.#silentTicks) isSilent = true;
    }
    if (isSilent && !this.#isLooking) void this.#look();
    else if (!isSilent) this.#dismissObserver();
    if (this.#trouble !== undefined && --this.#ticksToNextTry === 0) void this.#tryWriting();
  }

  /** At those that have been silent for too long. */
  async #look(): Promise<void> {
    const { pool } = this.#options;
    this.#isLooking = true;
    const heardBefore = this.#bytesHeard();
    try {
      const working = await this.#listWorking();
      for (const connection of [...pool.connections]) {
        if (connection.silentTicks < this.#silentTicks || connection.pid === undefined) continue;
        const state = working.get(connection.pid);
        const isWorking = state === 'working' || (state === 'waiting for us' && connection.isCopying);
        if (!isWorking && ++connection.doubts >= MOST_DOUBTS) connection.lose(wentSilent());
      }
    } catch (error) {
      this.#dismissObserver();
      // That there is no connection left for us, PostgreSQL has said itself.
      const isAlive = codeOf(error).startsWith('53') || this.#bytesHeard() !== heardBefore;
      if (!isAlive) pool.goDown(error);
    } finally {
      this.#isLooking = false;
    }
  }

  /** By the id of PostgreSQL's process. */
  async #listWorking(): Promise<ReadonlyMap<number, 'working' | 'waiting for us'>> {
    const attempts = this.#observer ? [list(this.#observer), this.#listAnew(ENOUGH_TICKS)] : [this.#listAnew(0)];
    try {
      return await Promise.any(attempts);
    } catch (error) {
      throw (error as AggregateError).errors.at(-1);
    }
  }

  /** On a connection of its own, after so many ticks in which the one that there is has not answered. */
  async #listAnew(ticks: number): ReturnType<typeof list> {
    const before = this.#observer;
    for (let tick = 0; tick < ticks; tick++) {
      await new Promise((resolve) => setTimeout(resolve, TICK_MS));
      if (!this.#isLooking || this.#observer !== before) throw wentSilent(); // it was answered meanwhile
    }
    const observer = await this.#options.dial();
    if (this.#observer !== before) void observer.close();
    else {
      this.#dismissObserver();
      this.#observer = observer;
    }
    return list(observer);
  }

  #bytesHeard(): number {
    let sum = 0;
    for (const { bytesHeard } of this.#options.pool.connections) sum += bytesHeard;
    return sum;
  }

  #dismissObserver(): void {
    if (this.#isLooking) return;
    void this.#observer?.close();
    this.#observer = undefined;
  }

  async #tryWriting(): Promise<void> {
    const connection = await this.#options.dial().catch(() => undefined);
    try {
      if (!connection) return;
      await tryWriting(connection);
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

/** PostgreSQL calls a process active from the first message of a statement to the end of its answer. */
async function list({ sql }: Connection): Promise<ReadonlyMap<number, 'working' | 'waiting for us'>> {
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
