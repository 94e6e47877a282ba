/**
 * Tells a database that is slow from one that is gone. A connection that is silent although something is waited for is looked up in
 * PostgreSQL's own list of what it does, on another connection: what it works on is left alone however long it takes; what it knows
 * nothing of was lost on the way; and where nobody answers at all, the database is away.
 *
 * This is also where it is decided how long anybody waits for a database that is away (`Patience`): until `silentMs` after its last
 * byte, or `unconnectedMs` where there is no connection, and a tick. From then on the pool refuses at once. Who is refused asks for
 * nothing more, so a request waits once; at the worst for a connection, and then for an answer on it.
 */
import { setActiveTimeout, TICK_MS } from './active-timeout.js';
import type { Connection } from './connection.js';
import type { Dialler } from './hosts.js';
import type { Pool } from './pool.js';
import { Silence } from './silence.js';
import { codeOf, DatabaseUnavailable, isWriteFailure, whyUnavailable } from './unavailable.js';

/** A connection is given up when PostgreSQL has said so often, each after another silence, that it does not work for it. */
const MAX_DOUBTS = 2;
/** How often writing is tried again while it does not work. */
const TRY_WRITING_TICKS = 5;
/** How long PostgreSQL may take to say what it does; it only has to look into its memory. */
const LIST_MS = 300;
/** Shorter, on a connection that is there already: where that is silent too, a new one still has to be tried in time. */
const LIST_AGAIN_MS = 100;
/** How long it may take to try writing, where it has to wait for its disk. */
const TRY_MS = 5_000;

export interface Patience {
  /** How long one connection may be silent before it is looked up. */
  readonly askAfterMs: number;
  /** How long all of them may be, also those that are being made, before the database is called away. */
  readonly silentMs: number;
  /** How long somebody waits where there is no connection. */
  readonly unconnectedMs: number;
}

export interface HealthOptions {
  readonly pool: Pool;
  readonly dialler: Dialler;
  readonly patience: Patience;
  /** Connections that only read are of no use: there may be another host. */
  readonly mustBeWritable: boolean;
  readonly onError: (error: unknown) => void;
  readonly onRecovered: () => void;
}

export class Health {
  readonly #options: HealthOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #askAfterTicks: number;
  /** Of the whole database, and of one that nobody is connected to. */
  readonly #silence = new Silence();
  readonly #unconnected = new Silence();
  #observer: Connection | undefined;
  #isLooking = false;
  #isTimeToLook = false;
  #isStopped = false;
  /** Why nothing can be written, although the database answers. */
  #outage: unknown;
  #ticksToNextTry = 0;

  constructor(options: HealthOptions) {
    this.#options = options;
    this.#askAfterTicks = ticksOf(options.patience.askAfterMs);
    // What has arrived by then is read before anybody is judged.
    this.#timer = setInterval(() => setImmediate(() => this.#tick()), TICK_MS).unref();
  }

  /** Undefined where nothing is known to be wrong. */
  get outage(): string | undefined {
    const { down } = this.#options.pool;
    const reasons = [down, this.#outage].flatMap((error) => (error ? [whyUnavailable(error)] : []));
    return reasons.length === 0 ? undefined : [...new Set(reasons)].join(' ');
  }

  /** A statement failed: perhaps all that write will. */
  reportError(error: unknown): void {
    if (!isWriteFailure(error)) return;
    // A primary that was demoted: new connections may lead to the one that took over.
    if (codeOf(error) === '25006') {
      if (this.#options.mustBeWritable) this.#options.pool.goDown(error);
      else this.#options.pool.renew();
    }
    if (this.#outage === undefined) this.#options.onError(error);
    this.#outage = error;
    this.#ticksToNextTry = TRY_WRITING_TICKS;
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
    this.#dismissObserver();
  }

  #tick(): void {
    if (this.#isStopped) return;
    const { pool, dialler, patience } = this.#options;
    let [hasReceivedBytes, isAwaited, isOneSilent] = [dialler.listen(), pool.isWaitedForInVain, false];
    for (const connection of pool.connections) {
      if (connection.listen()) hasReceivedBytes = true;
      if (connection.load > 0) isAwaited = true;
      const { ticks } = connection.silence;
      if (ticks < this.#askAfterTicks) continue;
      isOneSilent = true;
      if (ticks % this.#askAfterTicks === 0) this.#isTimeToLook = true;
    }
    this.#silence.count(isAwaited, hasReceivedBytes);
    this.#unconnected.count(pool.isWaitedForInVain, false);
    if (
      this.#silence.ticks >= ticksOf(patience.silentMs) ||
      this.#unconnected.ticks >= ticksOf(patience.unconnectedMs)
    ) {
      pool.goDown(noAnswer());
    }
    if (!this.#isLooking) {
      if (this.#isTimeToLook) void this.#look();
      else if (!isOneSilent) this.#dismissObserver();
    }
    if (this.#outage !== undefined && --this.#ticksToNextTry === 0) void this.#tryWriting();
  }

  /** At those that have been silent for too long. */
  async #look(): Promise<void> {
    const { pool } = this.#options;
    this.#isLooking = true;
    this.#isTimeToLook = false;
    const before = new Map([...pool.connections].map((connection) => [connection, connection.bytesReceived]));
    try {
      const working = await this.#listWorking();
      this.#silence.ticks = 0;
      for (const connection of [...pool.connections]) this.#judge(connection, working);
    } catch (error) {
      this.#dismissObserver();
      const hasReceivedBytes = [...pool.connections].some((each) => each.bytesReceived > (before.get(each) ?? 0));
      // That there is no connection left for us, PostgreSQL has said itself.
      if (codeOf(error).startsWith('53')) this.#silence.ticks = 0;
      else if (!hasReceivedBytes) pool.goDown(error);
    } finally {
      this.#isLooking = false;
      if (this.#isStopped) this.#dismissObserver(); // it may have been connected only now
    }
  }

  #judge(connection: Connection, working: Working): void {
    const { pid, silence, doubts } = connection;
    if (pid === undefined || silence.ticks < this.#askAfterTicks * (doubts + 1)) return;
    const state = working.get(pid);
    if (state === 'working' || (state === 'waiting for us' && connection.isCopying)) return;
    connection.doubts += 1;
    if (connection.doubts >= MAX_DOUBTS) connection.lose(wentSilent());
  }

  async #listWorking(): Promise<Working> {
    const { pool, dialler } = this.#options;
    const known = this.#observer ?? pool.findIdle();
    const listed =
      known && (await Promise.race([listWorking(known), untilPatienceEnds(LIST_AGAIN_MS)]).catch(() => {}));
    if (listed) return listed;
    this.#dismissObserver();
    this.#observer = await dialler.dial();
    return within(LIST_MS, this.#observer, listWorking);
  }

  #dismissObserver(): void {
    void this.#observer?.close();
    this.#observer = undefined;
  }

  async #tryWriting(): Promise<void> {
    const connection = await this.#options.dialler.dial().catch(() => undefined);
    try {
      if (!connection) return;
      await within(TRY_MS, connection, tryWriting);
      this.#outage = undefined;
      this.#options.onRecovered();
    } catch (error) {
      if (isWriteFailure(error)) this.#outage = error;
    } finally {
      void connection?.close();
      this.#ticksToNextTry = TRY_WRITING_TICKS;
    }
  }
}

function ticksOf(milliseconds: number): number {
  return Math.ceil(milliseconds / TICK_MS);
}

function untilPatienceEnds(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setActiveTimeout(milliseconds, resolve));
}

function noAnswer(): DatabaseUnavailable {
  return new DatabaseUnavailable('the database did not answer in time', { code: 'CONNECT_TIMEOUT' });
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
  const cancelTimeout = setActiveTimeout(milliseconds, () => connection.lose(wentSilent()));
  try {
    return await work(connection);
  } finally {
    cancelTimeout();
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
