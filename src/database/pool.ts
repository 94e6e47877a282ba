/**
 * The connection pool: assigns connections to statements and transactions, and queues those that wait. While the database is
 * down, it rejects everything at once and tries to connect until the database is back.
 */
import { TICK_MS } from './active-timeout.js';
import type { Connection } from './connection.js';
import type { Statement } from './driver.js';
import type { Nodes } from './nodes.js';
import { asUnavailable, codeOf, DatabaseUnavailable } from './unavailable.js';

/** The maximum number of pipelined statements: they are sent without waiting for the response to the first. */
const MAX_STATEMENTS_PER_CONNECTION = 100;
/** The memory of PostgreSQL's processes grows with time, so connections are replaced. */
const LIFETIME_MS = 30 * 60_000;
const MIN_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 500;
/** The pause before the pool tries to grow again after it could not open another connection. */
const GROW_RETRY_MS = 500;
const CLOSING_MS = 5_000;
/**
 * A statement that PostgreSQL does not support. After one that Citus could not plan, the session no longer sends function calls to other
 * nodes.
 */
const FEATURE_NOT_SUPPORTED = '0A000';

/** A single node of a distributed database can occupy all connections but this many. */
const KEPT_FOR_OTHER_NODES = 3;

interface Waiting {
  readonly node: string | undefined;
  readonly serve: (connection: Connection) => void;
  readonly reject: (error: unknown) => void;
}

/** The state of a pool now, and what it has done so far. */
export interface PoolCounts {
  readonly max: number;
  readonly idle: number;
  readonly inUse: number;
  readonly waiting: number;
  readonly statements: number;
  readonly lost: number;
  /** What connections wait for. */
  readonly awaited: readonly AwaitedStatements[];
}

/** The statements of one connection, and for how long it has received nothing for them. */
export interface AwaitedStatements {
  readonly statements: number;
  readonly silentMs: number;
}

export interface PoolOptions {
  readonly max: number;
  readonly dial: () => Promise<Connection>;
  readonly nodes: Pick<Nodes, 'nodeOf' | 'admit'>;
  /** Called for every failed statement. */
  readonly onFailure: (error: unknown) => void;
  readonly onDown: (error: DatabaseUnavailable) => void;
  readonly onUp: () => void;
}

export class Pool {
  readonly connections = new Set<Connection>();
  /** Set while the database is down: the reason. */
  down: DatabaseUnavailable | undefined;
  readonly #options: PoolOptions;
  readonly #waiting: Waiting[] = [];
  #opening = 0;
  #makeDoUntil = 0;
  #pauseMs = MIN_BACKOFF_MS;
  #retry: NodeJS.Timeout | undefined;
  #hasBeenUp = false;
  #statements = 0;
  #lost = 0;
  #closing: Promise<void> | undefined;
  #whenIdle: (() => void) | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Whether statements wait although there is no connection. The first connection is part of the start and may take longer. */
  get hasUnservedStatements(): boolean {
    return this.#hasBeenUp && this.connections.size === 0 && this.#waiting.length > 0;
  }

  get counts(): PoolCounts {
    let idle = 0;
    const awaited: AwaitedStatements[] = [];
    for (const { isReserved, load, silence } of this.connections) {
      if (load > 0) awaited.push({ statements: load, silentMs: silence.ticks * TICK_MS });
      else if (!isReserved) idle += 1;
    }
    const inUse = this.connections.size - idle;
    const { max } = this.#options;
    return {
      max,
      idle,
      inUse,
      waiting: this.#waiting.length,
      statements: this.#statements,
      lost: this.#lost,
      awaited,
    };
  }

  findIdle(): Connection | undefined {
    for (const connection of this.connections) if (!connection.isReserved && connection.load === 0) return connection;
    return undefined;
  }

  run(statement: Statement): void {
    this.#statements += 1;
    const { nodes } = this.#options;
    const node = nodes.nodeOf(statement);
    const refusal = this.#refusal() ?? nodes.admit(statement, node);
    if (refusal) return void statement.reject(refusal);
    const serve = (free: Connection): void => {
      free.node = node;
      free.run(statement);
    };
    const connection = this.#pick(node);
    if (connection) serve(connection);
    else this.#wait({ node, serve, reject: (error) => statement.reject(error) });
  }

  /** Runs a statement of a transaction on its connection. */
  runReserved(connection: Connection, statement: Statement, onFailure?: (error: unknown) => void): void {
    this.#statements += 1;
    const { nodes } = this.#options;
    const node = nodes.nodeOf(statement);
    const refusal = nodes.admit(statement, node);
    if (refusal) {
      onFailure?.(refusal);
      return void statement.reject(refusal);
    }
    connection.node = node;
    connection.run(statement, onFailure);
  }

  /** Rejects what waits for a connection to the node. */
  refuseNode(node: string, error: DatabaseUnavailable): void {
    const isMeant = (waiting: Waiting): boolean => waiting.node === node;
    const refused = this.#waiting.filter(isMeant);
    const others = this.#waiting.filter((waiting) => !isMeant(waiting));
    this.#waiting.splice(0, this.#waiting.length, ...others);
    for (const { reject } of refused) reject(error);
  }

  /** Returns a connection for exclusive use, until `release`. */
  reserve(): Promise<Connection> {
    const refusal = this.#refusal();
    if (refusal) return Promise.reject(refusal);
    const connection = this.#pick(undefined);
    if (connection) {
      connection.isReserved = true;
      return Promise.resolve(connection);
    }
    return new Promise((resolve, reject) => {
      const serve = (free: Connection): void => {
        free.isReserved = true;
        resolve(free);
      };
      this.#wait({ node: undefined, serve, reject });
    });
  }

  release(connection: Connection): void {
    connection.isReserved = false;
    if (connection.isAlive) this.#serve(connection);
  }

  /** Marks the database as down: rejects all statements and tries to connect until the database is back. */
  markDown(cause: unknown): void {
    const error = asUnavailable(cause);
    const isNew = this.down === undefined && !this.#closing;
    this.down = error;
    for (const connection of [...this.connections]) connection.lose(error);
    this.#rejectWaiting(error);
    if (isNew) {
      this.#options.onDown(error);
      this.#redialLater();
    }
  }

  /** Closes idle connections, which may lead to the wrong host. Busy ones finish their work. */
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

  /** Closes the pool without waiting for statements in flight, which may wait for a lock. */
  abandon(): void {
    void this.close();
    this.markDown(ended());
  }

  async #shutDown(): Promise<void> {
    await undefined; // `close` sets `#closing` before the rest runs
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

  /** The connection with the fewest statements in flight; undefined if it is better to wait for another one. */
  #pick(node: string | undefined): Connection | undefined {
    const isFull = this.#isFull(node);
    let best: Connection | undefined;
    for (const connection of this.connections) {
      if (connection.isReserved || connection.isSpent || !mayRun(connection, node, isFull)) continue;
      if (!best || connection.load < best.load) best = connection;
    }
    if (!best || best.load === 0) return best;
    if (best.load >= MAX_STATEMENTS_PER_CONNECTION || (this.#canGrow() && !isFull)) return undefined;
    // If statements of another node wait, this one waits too: a connection that always has statements of one node is never free for others.
    return this.#waiting.some((waiting) => waiting.node !== node) ? undefined : best;
  }

  /** Whether a node has all connections that it can have. */
  #isFull(node: string | undefined): boolean {
    if (node === undefined) return false;
    let count = 0;
    for (const connection of this.connections) if (connection.load > 0 && connection.node === node) count += 1;
    return count >= Math.max(this.#options.max - KEPT_FOR_OTHER_NODES, 1);
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
      this.#add(connection);
    } catch (error) {
      this.#opening -= 1;
      this.#handleConnectFailure(error);
    }
  }

  #add(connection: Connection): void {
    if (this.#closing || this.connections.size >= this.#options.max) return void connection.close();
    connection.listener = {
      onIdle: (idle) => this.#serve(idle),
      onLost: (lost) => this.#remove(lost),
      onFailure: (error) => {
        if (codeOf(error) === FEATURE_NOT_SUPPORTED) connection.isSpent = true;
        this.#options.onFailure(error);
      },
    };
    this.connections.add(connection);
    this.#hasBeenUp = true;
    const wasDown = this.down !== undefined;
    this.down = undefined;
    this.#pauseMs = MIN_BACKOFF_MS;
    this.#makeDoUntil = 0;
    if (wasDown) this.#options.onUp();
    this.#serve(connection);
  }

  /** A pool that has other connections continues with those. */
  #handleConnectFailure(error: unknown): void {
    if (this.connections.size === 0) {
      this.markDown(error);
      return;
    }
    this.#makeDoUntil = performance.now() + GROW_RETRY_MS;
    for (const waiting of this.#waiting.splice(0)) {
      const connection = this.#pick(waiting.node);
      if (connection) waiting.serve(connection);
      else this.#waiting.push(waiting);
    }
  }

  #redialLater(): void {
    this.#retry = setTimeout(async () => {
      await this.#open();
      if (this.down && !this.#closing) this.#redialLater();
    }, this.#pauseMs);
    this.#pauseMs = Math.min(2 * this.#pauseMs, MAX_BACKOFF_MS);
  }

  /** Serves a share of the queue, so that the first new connection does not take all of it while others are being opened. */
  #serve(connection: Connection): void {
    this.#whenIdle?.();
    if (this.#closeExpired(connection)) return;
    let share = Math.ceil(this.#waiting.length / (this.#opening + 1));
    while (
      share-- > 0 &&
      connection.isAlive &&
      !connection.isReserved &&
      connection.load < MAX_STATEMENTS_PER_CONNECTION
    ) {
      const next = this.#waiting.findIndex(({ node }) => mayRun(connection, node, this.#isFull(node)));
      if (next < 0) return;
      this.#waiting.splice(next, 1)[0]?.serve(connection);
    }
  }

  #closeExpired(connection: Connection): boolean {
    if (connection.load > 0 || connection.isReserved) return false;
    if (!connection.isSpent && performance.now() - connection.since < LIFETIME_MS) return false;
    this.connections.delete(connection);
    void connection.close();
    if (this.#waiting.length > 0 && this.#canGrow()) void this.#open();
    return true;
  }

  #remove(connection: Connection): void {
    this.#lost += 1;
    this.connections.delete(connection);
    this.#whenIdle?.();
    if (this.#waiting.length > 0 && !this.down && this.#opening === 0) void this.#open();
  }

  #rejectWaiting(error: unknown): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}

/**
 * A statement is sent behind others only if they go to the same node: otherwise it would wait with them for a node that does not
 * respond.
 */
function mayRun({ load, node: own }: Connection, node: string | undefined, isFull: boolean): boolean {
  return load > 0 ? own === node : !isFull;
}

function ended(): DatabaseUnavailable {
  return new DatabaseUnavailable('the connections to the database are closed', { code: 'CONNECTION_ENDED' });
}
