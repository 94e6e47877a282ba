/**
 * Distinguishes a slow database from an unavailable one. If a connection receives nothing while a statement is in flight, its
 * process is looked up in `pg_stat_activity` on another connection. A process that works is left alone, however long it takes. If
 * PostgreSQL does not work on the statement, the connection is lost. If PostgreSQL does not respond at all, the database is down.
 *
 * `ResponseTimeouts` limits how long a request waits for a database that is down: `silentMs` after the last byte, or
 * `unconnectedMs` if there is no connection, plus one tick. After that the pool refuses at once. A refused request sends no further
 * statement, so in the worst case it waits once for a connection and once for a response.
 */
import { setActiveTimeout, TICK_MS } from './active-timeout.js';
import type { Connection } from './connection.js';
import type { HostConnector } from './hosts.js';
import type { Nodes } from './nodes.js';
import type { Pool } from './pool.js';
import { SilenceCounter } from './silence-counter.js';
import type { Sql } from './sql.js';
import type { Stalls } from './stalls.js';
import { codeOf, DatabaseUnavailable, isWriteFailure, unavailableReason } from './unavailable.js';

/** A connection is closed after this number of lookups in which PostgreSQL does not work on its statement. */
const MAX_DOUBTS = 2;
/** The interval of test writes while the database is not writable. */
const TRY_WRITING_TICKS = 5;
/** The timeout of the lookup, which PostgreSQL answers from memory. */
const LIST_MS = 300;
/** The timeout of the lookup on an existing connection. It is shorter, to leave time for a second try on a new connection. */
const LIST_EXISTING_MS = 100;
/** The timeout of a test write, which may have to wait for the disk. */
const TRY_MS = 5_000;

export interface ResponseTimeouts {
  /** How long one connection may be silent before its process is looked up. */
  readonly askAfterMs: number;
  /** How long all connections, including those that are being opened, may be silent before the database counts as down. */
  readonly silentMs: number;
  /** How long a node of a distributed database may be silent. */
  readonly nodeMs: number;
  /** How long a statement may take on a node that responds to others. */
  readonly slowNodeMs: number;
  /** How long a statement waits if there is no connection. */
  readonly unconnectedMs: number;
}

export interface HealthOptions {
  readonly pool: Pool;
  readonly connector: HostConnector;
  readonly nodes: Pick<Nodes, 'merchantOn' | 'responds' | 'reportResponse'>;
  readonly timeouts: ResponseTimeouts;
  /** Whether to drop read-only connections, because another host may be writable. */
  readonly mustBeWritable: boolean;
  /** Told which statements wait for a lock. */
  readonly stalls: Stalls;
  /** Called when a connection is lost because a node of a distributed database does not respond. */
  readonly onSilentNode: (node: string) => void;
  readonly onError: (error: unknown) => void;
  readonly onRecovered: () => void;
}

export class Health {
  readonly #options: HealthOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #askAfterTicks: number;
  /** The silence of all connections together. */
  readonly #silence = new SilenceCounter();
  /** The time in which statements wait while there is no connection. */
  readonly #unconnected = new SilenceCounter();
  #observer: Connection | undefined;
  readonly #askedNodes = new Set<string>();
  #isLooking = false;
  #isTimeToLook = false;
  #isStopped = false;
  /** Why writes fail although the database responds. */
  #outage: unknown;
  #ticksToNextTry = 0;

  constructor(options: HealthOptions) {
    this.#options = options;
    this.#askAfterTicks = ticksOf(options.timeouts.askAfterMs);
    // Data that has already arrived is read first.
    this.#timer = setInterval(() => setImmediate(() => this.#tick()), TICK_MS).unref();
  }

  /** Undefined if no problem is known. */
  get outage(): string | undefined {
    const { down } = this.#options.pool;
    const reasons = [down, this.#outage].flatMap((error) => (error ? [unavailableReason(error)] : []));
    return reasons.length === 0 ? undefined : [...new Set(reasons)].join(' ');
  }

  /** Called for every failed statement. Some errors mean that all writes fail. */
  reportError(error: unknown): void {
    if (!isWriteFailure(error)) return;
    // The primary was demoted. New connections can reach the new primary.
    if (codeOf(error) === '25006') {
      if (this.#options.mustBeWritable) this.#options.pool.markDown(error);
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
    const { pool, connector, timeouts } = this.#options;
    let [hasReceivedBytes, isAwaited, isOneSilent] = [connector.listen(), pool.hasUnservedStatements, false];
    for (const connection of pool.connections) {
      if (connection.listen()) hasReceivedBytes = true;
      if (connection.load > 0) isAwaited = true;
      const { ticks } = connection.silence;
      if (ticks < this.#askAfterTicks) continue;
      isOneSilent = true;
      if (ticks % this.#askAfterTicks === 0) this.#isTimeToLook = true;
    }
    this.#silence.count(isAwaited, hasReceivedBytes);
    this.#unconnected.count(pool.hasUnservedStatements, false);
    if (
      this.#silence.ticks >= ticksOf(timeouts.silentMs) ||
      this.#unconnected.ticks >= ticksOf(timeouts.unconnectedMs)
    ) {
      pool.markDown(noResponse());
    }
    if (!this.#isLooking) {
      if (this.#isTimeToLook) void this.#look();
      else if (!isOneSilent) {
        this.#dismissObserver();
        this.#options.stalls.end();
      }
    }
    if (this.#outage !== undefined && --this.#ticksToNextTry === 0) void this.#tryWriting();
  }

  /** Looks up the processes of connections that have been silent for too long. */
  async #look(): Promise<void> {
    const { pool } = this.#options;
    this.#isLooking = true;
    this.#isTimeToLook = false;
    const before = new Map([...pool.connections].map((connection) => [connection, connection.bytesReceived]));
    try {
      const working = await this.#listWorking();
      this.#silence.ticks = 0;
      for (const connection of [...pool.connections]) this.#judge(connection, working);
      await this.#lookForLocks(working);
    } catch (error) {
      this.#dismissObserver();
      const hasReceivedBytes = [...pool.connections].some((each) => each.bytesReceived > (before.get(each) ?? 0));
      // PostgreSQL itself responded that it has no free connection, so it is not silent.
      if (codeOf(error).startsWith('53')) this.#silence.ticks = 0;
      else if (!hasReceivedBytes) pool.markDown(error);
    } finally {
      this.#isLooking = false;
      if (this.#isStopped) this.#dismissObserver(); // it may have connected after the stop
    }
  }

  /** Counts the silent connections that wait for a lock, and asks who has it. */
  async #lookForLocks(working: Working): Promise<void> {
    const { pool, stalls } = this.#options;
    const waits = ({ pid, silence }: Connection): boolean =>
      pid !== undefined && silence.ticks > 0 && working.get(pid) === 'waiting for lock';
    const blocked = [...pool.connections].filter(waits);
    const oldestMs = Math.max(0, ...blocked.map(({ silence }) => silence.ticks)) * TICK_MS;
    const observer = this.#observer ?? pool.findIdle();
    await stalls.report({ blocked: blocked.length, oldestMs }, observer?.sql as Sql | undefined);
  }

  #judge(connection: Connection, working: Working): void {
    const { pid, silence, doubts } = connection;
    if (pid === undefined || silence.ticks < this.#askAfterTicks * (doubts + 1)) return;
    const state = working.get(pid);
    if (state === 'working' || state === 'waiting for lock' || (state === 'waiting for client' && connection.isCopying))
      return;
    if (state === 'waiting for client or node' && this.#mayWait(connection)) return;
    connection.doubts += 1;
    if (connection.doubts < MAX_DOUBTS) return;
    if (state === 'waiting for client or node' && connection.node !== undefined) {
      this.#options.onSilentNode(connection.node);
    }
    connection.lose(wentSilent());
  }

  /** Whether a connection may go on waiting for a node. A node that responds to a small question is only slow. */
  #mayWait({ node, silence: { ticks } }: Connection): boolean {
    const { timeouts, nodes } = this.#options;
    if (node !== undefined) void this.#askNode(node);
    const responds = node !== undefined && nodes.responds(node);
    return ticks < ticksOf(responds ? timeouts.slowNodeMs : timeouts.nodeMs);
  }

  async #askNode(node: string): Promise<void> {
    const { nodes, connector, timeouts } = this.#options;
    const merchantId = nodes.merchantOn(node);
    if (merchantId === undefined || this.#askedNodes.has(node)) return;
    this.#askedNodes.add(node);
    const connection = await connector.dial().catch(() => undefined);
    try {
      if (!connection) return;
      await within(
        timeouts.nodeMs,
        connection,
        ({ sql }) => sql`select from merchants where merchant_id = ${merchantId}`,
      );
      nodes.reportResponse(node);
    } catch {
      // It does not respond.
    } finally {
      void connection?.close();
      this.#askedNodes.delete(node);
    }
  }

  async #listWorking(): Promise<Working> {
    const { pool, connector } = this.#options;
    const existing = this.#observer ?? pool.findIdle();
    const listed =
      existing && (await Promise.race([listWorking(existing), activeSleep(LIST_EXISTING_MS)]).catch(() => {}));
    if (listed) return listed;
    this.#dismissObserver();
    this.#observer = await connector.dial();
    return within(LIST_MS, this.#observer, listWorking);
  }

  #dismissObserver(): void {
    void this.#observer?.close();
    this.#observer = undefined;
  }

  async #tryWriting(): Promise<void> {
    const connection = await this.#options.connector.dial().catch(() => undefined);
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

function activeSleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setActiveTimeout(milliseconds, resolve));
}

function noResponse(): DatabaseUnavailable {
  return new DatabaseUnavailable('the database did not respond in time', { code: 'CONNECT_TIMEOUT' });
}

function wentSilent(): DatabaseUnavailable {
  return new DatabaseUnavailable('the connection to the database does not respond', { code: 'CONNECT_TIMEOUT' });
}

/** The active processes of PostgreSQL by process id. */
type Working = ReadonlyMap<
  number,
  'working' | 'waiting for lock' | 'waiting for client' | 'waiting for client or node'
>;

/** Connections outside the pool need a timeout of their own. */
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

/**
 * PostgreSQL reports a process as active from the first message of a statement to the end of its response. Citus reports a process that
 * waits for another node like one that waits for its client.
 */
async function listWorking({ sql }: Connection): Promise<Working> {
  const rows = await sql<{ pid: number; waitsForClient: boolean; waitsForLock: boolean; hasNodes: boolean }[]>`
    select
      pid, coalesce(wait_event = 'ClientRead', false) as "waitsForClient",
      coalesce(wait_event_type = 'Lock', false) as "waitsForLock",
      exists (select from pg_extension where extname = 'citus') as "hasNodes"
    from pg_stat_activity
    where usename = current_user and state not like 'idle%'`;
  return new Map(
    rows.map(({ pid, waitsForClient, waitsForLock, hasNodes }) => {
      if (waitsForLock) return [pid, 'waiting for lock'];
      if (!waitsForClient) return [pid, 'working'];
      return [pid, hasNodes ? 'waiting for client or node' : 'waiting for client'];
    }),
  );
}

/** A temporary table needs space for its rows, its catalog entries and the WAL, like every write, and leaves nothing behind. */
async function tryWriting({ sql }: Connection): Promise<void> {
  await sql`
    create temporary table tillhouse_tries_writing on commit drop as
    select repeat('x', 100) as filler from generate_series(1, 1000)`;
}
