/**
 * The connections of a database: who gets one, who waits, and what happens when they cannot be made. Nobody waits for a database
 * that is known to be away; while it is, the pool tries to connect until it is back.
 */
import type { Connection, Statement } from './connection.js';
import { asUnavailable, DatabaseUnavailable } from './unavailable.js';

/** Statements that a busy connection takes one behind the other, without waiting for the answer to the first. */
const MOST_ON_ONE = 100;
/** PostgreSQL's processes grow with what they have seen: none serves us for ever. */
const LIFETIME_MS = 30 * 60_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;
/** How long a pool that works makes do with what it has when it could not get one more. */
const MAKE_DO_MS = 500;
const CLOSING_MS = 5_000;

interface Waiting {
  readonly serve: (connection: Connection) => void;
  readonly reject: (error: unknown) => void;
}

export interface PoolOptions {
  readonly max: number;
  readonly dial: () => Promise<Connection>;
  /** Hears of every error of a statement. */
  readonly onFailure: (error: unknown) => void;
  readonly onDown: (error: DatabaseUnavailable) => void;
  readonly onUp: () => void;
}

export class Pool {
  readonly connections = new Set<Connection>();
  /** Why nothing is tried at the moment. */
  down: DatabaseUnavailable | undefined;
  readonly #options: PoolOptions;
  readonly #waiting: Waiting[] = [];
  #opening = 0;
  #makeDoUntil = 0;
  #pauseMs = FIRST_PAUSE_MS;
  #retry: NodeJS.Timeout | undefined;
  #hasBeenUp = false;
  #closing: Promise<void> | undefined;
  #whenIdle: (() => void) | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Whether somebody waits although there is no connection at all. The first one may take its time: it belongs to a start. */
  get isWaitedForInVain(): boolean {
    return this.#hasBeenUp && this.connections.size === 0 && this.#waiting.length > 0;
  }

  findIdle(): Connection | undefined {
    for (const connection of this.connections) if (!connection.isReserved && connection.load === 0) return connection;
    return undefined;
  }

  run(statement: Statement): void {
    const refusal = this.#refusal();
    const connection = refusal ? undefined : this.#pick();
    if (refusal) statement.reject(refusal);
    else if (connection) connection.run(statement);
    else this.#wait({ serve: (free) => free.run(statement), reject: (error) => statement.reject(error) });
  }

  /** A connection for somebody alone, until it is released. */
  reserve(): Promise<Connection> {
    const refusal = this.#refusal();
    if (refusal) return Promise.reject(refusal);
    const connection = this.#pick();
    if (connection) {
      connection.isReserved = true;
      return Promise.resolve(connection);
    }
    return new Promise((resolve, reject) => {
      const serve = (free: Connection): void => {
        free.isReserved = true;
        resolve(free);
      };
      this.#wait({ serve, reject });
    });
  }

  release(connection: Connection): void {
    connection.isReserved = false;
    if (connection.isAlive) this.#serve(connection);
  }

  /** The database does not answer any more: whoever waits for it is told so, and it is dialled until it is back. */
  goDown(cause: unknown): void {
    const error = asUnavailable(cause);
    const isNews = this.down === undefined && !this.#closing;
    this.down = error;
    for (const connection of [...this.connections]) connection.lose(error);
    this.#rejectWaiting(error);
    if (isNews) {
      this.#options.onDown(error);
      this.#redialLater();
    }
  }

  /** Lets connections go that may lead to the wrong place; those that work finish what they do. */
  renew(): void {
    for (const connection of [...this.connections]) {
      if (connection.isReserved || connection.load > 0) continue;
      this.connections.delete(connection);
      void connection.close();
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  /** Closes it without waiting for what is under way, such as a statement behind a lock that somebody else holds. */
  abandon(): void {
    void this.close();
    this.goDown(ended());
  }

  async #shutDown(): Promise<void> {
    await undefined; // `#closing` is set from here on
    clearTimeout(this.#retry);
    this.#rejectWaiting(ended());
    await this.#untilIdle();
    await Promise.all([...this.connections].map((connection) => connection.close()));
    this.connections.clear();
  }

  #untilIdle(): Promise<void> {
    return new Promise((resolve) => {
      const limit = setTimeout(resolve, CLOSING_MS);
      this.#whenIdle = () => {
        if ([...this.connections].some(({ isReserved, load }) => isReserved || load > 0)) return;
        clearTimeout(limit);
        resolve();
      };
      this.#whenIdle();
    });
  }

  #refusal(): DatabaseUnavailable | undefined {
    if (this.#closing) return ended();
    return this.down && new DatabaseUnavailable(this.down.message, this.down);
  }

  /** The connection with the least to do; undefined where waiting for another one is better. */
  #pick(): Connection | undefined {
    let best: Connection | undefined;
    for (const connection of this.connections) {
      if (!connection.isReserved && (!best || connection.load < best.load)) best = connection;
    }
    if (!best || best.load === 0) return best;
    return best.load >= MOST_ON_ONE || this.#canGrow() ? undefined : best;
  }

  #canGrow(): boolean {
    const { max } = this.#options;
    return this.connections.size + this.#opening < max && performance.now() >= this.#makeDoUntil;
  }

  #wait(waiting: Waiting): void {
    this.#waiting.push(waiting);
    if (this.#canGrow() || this.connections.size + this.#opening === 0) void this.#open();
  }

  async #open(): Promise<void> {
    this.#opening += 1;
    try {
      const connection = await this.#options.dial();
      this.#opening -= 1;
      this.#welcome(connection);
    } catch (error) {
      this.#opening -= 1;
      this.#missed(error);
    }
  }

  #welcome(connection: Connection): void {
    if (this.#closing || this.connections.size >= this.#options.max) return void connection.close();
    connection.listener = {
      onIdle: (idle) => this.#serve(idle),
      onLost: (lost) => this.#forget(lost),
      onFailure: this.#options.onFailure,
    };
    this.connections.add(connection);
    this.#hasBeenUp = true;
    const wasDown = this.down !== undefined;
    this.down = undefined;
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#makeDoUntil = 0;
    if (wasDown) this.#options.onUp();
    this.#serve(connection);
  }

  /** A pool that has connections goes on with these. */
  #missed(error: unknown): void {
    if (this.connections.size === 0) {
      this.goDown(error);
      return;
    }
    this.#makeDoUntil = performance.now() + MAKE_DO_MS;
    for (const waiting of this.#waiting.splice(0)) {
      const connection = this.#pick();
      if (connection) waiting.serve(connection);
      else this.#waiting.push(waiting);
    }
  }

  #redialLater(): void {
    this.#retry = setTimeout(async () => {
      await this.#open();
      if (this.down && !this.#closing) this.#redialLater();
    }, this.#pauseMs);
    this.#pauseMs = Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
  }

  /** Hands out a share of those that wait, so that a connection that is there before the others does not take them all. */
  #serve(connection: Connection): void {
    this.#whenIdle?.();
    if (this.#isWornOut(connection)) return;
    let share = Math.ceil(this.#waiting.length / (this.#opening + 1));
    while (share-- > 0 && connection.isAlive && !connection.isReserved && connection.load < MOST_ON_ONE) {
      this.#waiting.shift()?.serve(connection);
    }
  }

  #isWornOut(connection: Connection): boolean {
    if (connection.load > 0 || connection.isReserved || performance.now() - connection.since < LIFETIME_MS)
      return false;
    this.connections.delete(connection);
    void connection.close();
    if (this.#waiting.length > 0 && this.#canGrow()) void this.#open();
    return true;
  }

  #forget(connection: Connection): void {
    this.connections.delete(connection);
    this.#whenIdle?.();
    if (this.#waiting.length > 0 && !this.down && this.#opening === 0) void this.#open();
  }

  #rejectWaiting(error: unknown): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}

function ended(): DatabaseUnavailable {
  return new DatabaseUnavailable('the connections to the database are closed', { code: 'CONNECTION_ENDED' });
}
