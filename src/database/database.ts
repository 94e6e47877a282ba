/** Access to PostgreSQL: reads, single statements, batches and transactions on a connection pool. */
import postgres from 'postgres';
import { instant } from '../base/time.js';
import type { Tracing } from '../base/tracing.js';
import { parseArray, printArray } from './arrays.js';
import { createBatcher, type GatheredCounts, type OfMerchant } from './batch.js';
import { type Change, Changes } from './change.js';
import type { Target } from './connection.js';
import { isDistributed } from './distribution.js';
import { runBy, type Statement, tlsSettingsOf } from './driver.js';
import { Health, type ResponseTimeouts } from './health.js';
import { HostConnector, parseHosts } from './hosts.js';
import { Nodes } from './nodes.js';
import { Pool, type PoolCounts } from './pool.js';
import type { TlsRules } from './secure-socket.js';
import { findShard, listShardNodes } from './shards.js';
import { type Fragment, type Sql, type Tx, toBytea, toTimestamp } from './sql.js';
import { type Stall, Stalls } from './stalls.js';
import { readTlsFiles, type TlsFiles } from './tls-files.js';
import { runTransaction } from './transaction.js';
import { unavailableReason } from './unavailable.js';

export { type Fragment, type Sql, type Tx, toBytea, toTimestamp };

const TYPES = {
  /** Instants are numbers in the model and timestamptz in the tables. */
  timestamptz: {
    to: 1184,
    from: [1184],
    serialize: toTimestamp,
    // Sessions use UTC, so every text ends with +00. `Date.parse` is fast and correct for all years only in the ISO format.
    parse: (text: string) => instant(Date.parse(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`)),
  },
  /** Every stored bigint is a safe integer: counts, offsets, and money, which base/money.ts limits. */
  int8: { to: 20, from: [20], serialize: (value: number) => String(value), parse: (text: string) => Number(text) },
  texts: { to: 1009, from: [1009], serialize: printArray, parse: parseArray },
  byteas: { to: 1001, from: [1001], serialize: printArray, parse: parseArray },
  uuids: { to: 2951, from: [2951], serialize: printArray, parse: parseArray },
};

const DRIVER = {
  types: TYPES,
  // All array types that are used are declared above. Otherwise the driver would query all types on every connection.
  fetch_types: false,
  transform: { column: { from: postgres.toCamel } },
  onnotice: () => {},
};

/**
 * Every request to a server gets a response within two seconds, even if the database is down: `silentMs` and `unconnectedMs` add up
 * to less than that. Commands wait longer instead of failing. `connectMs` is the timeout for opening a connection, `lockMs` that for a lock,
 * or 0: a request that waits for a lock is refused after that time, and its statement leaves nothing behind.
 */
const DEFAULT_TIMEOUTS: ResponseTimeouts & { connectMs: number; lockMs: number } = {
  askAfterMs: 400,
  silentMs: 1_000,
  nodeMs: 3_000,
  slowNodeMs: 30_000,
  unconnectedMs: 600,
  connectMs: 1_000,
  lockMs: 5_000,
};
const LONG_TIMEOUTS: typeof DEFAULT_TIMEOUTS = {
  askAfterMs: 5_000,
  silentMs: 15_000,
  nodeMs: 600_000,
  slowNodeMs: 600_000,
  unconnectedMs: 10_000,
  connectMs: 10_000,
  lockMs: 0,
};

export interface Database {
  readonly sql: Sql;
  /** Runs several statements in one transaction. */
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
  /**
   * Decides on what it reads, and writes in one call. `work` runs again if something that it read has changed meanwhile, so it must have no
   * other effects.
   */
  change<Result>(merchantId: string, work: (change: Change) => Promise<Result>): Promise<Result>;
  /** Runs exactly one statement, which commits by itself, without the extra round trips of a transaction. */
  statement<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
  /**
   * Like `statement`, but concurrent items for the same function share one statement and one commit: those of all merchants on one
   * PostgreSQL, those of each merchant on a distributed database.
   */
  batched<Item extends OfMerchant, Result>(work: BatchWork<Item, Result>, item: Item): Promise<Result>;
  /** Whether the tables are distributed over several nodes. Asks the database once. */
  isDistributed(): Promise<boolean>;
  /** The shard of a distributed database that has the rows of the merchant. It is remembered, so that one node cannot delay the others. */
  locate(merchantId: string): Promise<string | undefined>;
  /** The reason why the database is unavailable, as a sentence; undefined if it is available. */
  findOutage(): Promise<string | undefined>;
  /** What the connections do now, and what was sent so far. */
  counts(): DatabaseCounts;
  close(): Promise<void>;
  /** Rejects all statements in flight and all later ones. `close` must still be called. */
  abandon(): void;
}

export interface DatabaseCounts extends PoolCounts {
  /** Statements that wait for a lock. */
  readonly blocked: number;
  readonly gathered: Readonly<GatheredCounts>;
}

/**
 * Processes several items with one statement. Returns the results in the order of the items. A shared statement may have items of several
 * merchants, and fails soon if it has to wait for a lock (decision 0175). Others are of one merchant.
 */
export type BatchWork<Item, Result> = (tx: Tx, items: readonly Item[], isShared: boolean) => Promise<readonly Result[]>;

export interface DatabaseOptions {
  readonly maxConnections?: number;
  readonly applicationName?: string;
  /** Refuses a server that asks for no password. The embedded PostgreSQL always asks. */
  readonly requireScram?: boolean;
  /** For commands: no client waits for a response, so a slow result is better than a failure. */
  readonly hasLongTimeouts?: boolean;
  /** Called once when the database becomes unreachable or read-only. */
  readonly onUnavailable?: (error: unknown) => void;
  /** Called once when it is available again. */
  readonly onAvailable?: () => void;
  /** Called once when statements have waited for a lock for a second. */
  readonly onStalled?: (stall: Stall) => void;
  /** Called once when no statement waits for a lock any more, with how long that took. */
  readonly onUnstalled?: (milliseconds: number) => void;
  /** Called once when a node of a distributed database does not work. */
  readonly onNodeLost?: (node: string, error: unknown) => void;
  /** Called once when it works again. */
  readonly onNodeRestored?: (node: string) => void;
  /** Gathered statements have spans. */
  readonly tracing?: Tracing | undefined;
  /** Called for every statement that is sent, for tests of query plans. */
  readonly onStatement?: (text: string, parameters: readonly unknown[]) => void;
  /** Called with every notice of the database, for tests of what a distributed database does. */
  readonly onNotice?: (message: string) => void;
}

export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const { onStatement, onNotice = ignore, onUnavailable = ignore, onAvailable = ignore } = options;
  const { onNodeLost = ignore, onNodeRestored = ignore, onStalled = ignore, onUnstalled = ignore } = options;
  const timeouts = options.hasLongTimeouts ? LONG_TIMEOUTS : DEFAULT_TIMEOUTS;
  const hosts = parseHosts(url);
  // This driver instance only builds statements and never connects.
  const maker = postgres(hosts.url, { ...DRIVER, ...applicationName(options) }) as unknown as Sql;
  const connector = new HostConnector(targetsOf(maker), hosts, {
    url: hosts.url,
    driver: { ...DRIVER, ...applicationName(options), onnotice: ({ message = '' }) => onNotice(message) },
    tls: tlsOf(maker, hosts.tlsFiles),
    requireScram: options.requireScram ?? false,
    connectTimeoutMs: timeouts.connectMs,
    lockTimeoutMs: timeouts.lockMs,
    onStatement,
  });
  const nodes = new Nodes({
    listShardNodes: () => listShardNodes(sql),
    onLost: onNodeLost,
    onRestored: onNodeRestored,
  });
  const pool = new Pool({
    max: options.maxConnections ?? 10,
    dial: () => connector.dial(),
    nodes,
    onFailure: (error) => {
      nodes.reportFailure(error);
      health.reportError(error);
    },
    onDown: onUnavailable,
    onUp: onAvailable,
  });
  const stalls = new Stalls(onStalled, onUnstalled);
  const health = new Health({
    pool,
    stalls,
    connector,
    nodes,
    timeouts,
    mustBeWritable: hosts.mustBeWritable,
    onSilentNode: (node) => {
      const error = nodes.reportSilence(node);
      if (error) pool.refuseNode(node, error);
    },
    onError: onUnavailable,
    onRecovered: onAvailable,
  });
  const sql = makeSql(maker, (statement) => pool.run(statement));
  let distributed: Promise<boolean> | undefined;
  let isPlain = false;
  const findDistributed = (): Promise<boolean> => {
    distributed ??= isDistributed(sql).then(
      (found) => {
        isPlain = !found;
        return found;
      },
      (error: unknown) => {
        distributed = undefined; // it is asked again
        throw error;
      },
    );
    return distributed;
  };
  const mayMix = (): boolean => {
    if (distributed === undefined) findDistributed().catch(ignore);
    return isPlain;
  };
  const changes = new Changes();
  const gathered: GatheredCounts = { statements: 0, items: 0 };
  const batchers = new Map<unknown, (item: never) => Promise<unknown>>();
  return {
    sql,
    transaction: (work) => runTransaction(pool, (run) => makeSql(maker, run) as Tx, work),
    change: (merchantId, work) => changes.run(merchantId, sql, work),
    statement: (work) => work(sql as Tx),
    batched<Item extends OfMerchant, Result>(work: BatchWork<Item, Result>, item: Item) {
      let batcher = batchers.get(work) as ((item: Item) => Promise<Result>) | undefined;
      if (!batcher) {
        const statement = (items: readonly Item[], isShared: boolean) => work(sql as Tx, items, isShared);
        batcher = createBatcher(statement, { mayMix, counts: gathered, name: work.name, tracing: options.tracing });
        batchers.set(work, batcher);
      }
      return batcher(item);
    },
    isDistributed: findDistributed,
    async locate(merchantId) {
      if (!(await findDistributed())) return undefined;
      const known = nodes.shardOf(merchantId);
      if (known !== undefined) return known;
      const shard = await findShard(sql, merchantId);
      await nodes.learn(merchantId, shard);
      return shard;
    },
    async findOutage() {
      const known = health.outage ?? stalls.outage;
      if (known !== undefined) return known;
      const failure = await sql`select 1`.then(ignore, (error: unknown) => error);
      return failure === undefined ? undefined : (unavailableReason(failure) ?? 'The database cannot run statements.');
    },
    counts: () => ({ ...pool.counts, blocked: stalls.blocked, gathered }),
    async close() {
      await pool.close();
      health.stop();
    },
    abandon: () => pool.abandon(),
  };
}

function ignore(): void {}

function applicationName({ applicationName: name = 'tillhouse' }: DatabaseOptions) {
  return { connection: { application_name: name, TimeZone: 'UTC' } };
}

/** The hosts that the driver has read from the connection string and the environment. */
function targetsOf({ options: { host, port, path } }: Sql): readonly Target[] {
  return path ? [{ path }] : host.map((each, index) => ({ host: each, port: port[index] ?? 5432 }));
}

function tlsOf(maker: Sql, files: TlsFiles): TlsRules | undefined {
  const { mode, isDirect } = tlsSettingsOf<TlsRules['mode']>(maker);
  if (!mode) return undefined;
  readTlsFiles(files); // a wrong file is reported at the start
  return { mode, direct: isDirect, files };
}

/** Builds statements with the driver and passes each to `run` when it is awaited. Fragments are never awaited. */
function makeSql(maker: Sql, run: (statement: Statement) => void): Sql {
  const sql = (first: never, ...rest: never[]): unknown => runBy(maker(first, ...rest), run);
  const { json, array, typed, types } = maker;
  const unsafe = (...args: Parameters<Sql['unsafe']>): unknown => runBy(maker.unsafe(...args), run);
  return Object.assign(sql, { json, array, typed, types, unsafe }) as unknown as Sql;
}
