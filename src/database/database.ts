/** The door to PostgreSQL: a pool, reads, single statements and transactions. */
import postgres from 'postgres';
import { FIRST_INSTANT, type Instant, instant, LAST_INSTANT } from '../base/time.js';
import { parseArray, printArray } from './arrays.js';
import type { Statement, Target } from './connection.js';
import { gather, type OfMerchant } from './gather.js';
import { Health, type Patience } from './health.js';
import { Dialler, readHosts } from './hosts.js';
import { Pool } from './pool.js';
import type { TlsRules } from './secure-socket.js';
import { runTransaction } from './transaction.js';
import { whyUnavailable } from './unavailable.js';

/** A record has mostly one time, under several names. */
let last = { value: 0, printed: '1970-01-01T00:00:00.000Z' };

/** As the tables keep it. What would lie before the first or after the last moment that can be kept lies there. */
export function toTimestamp(value: Instant): string {
  if (value !== last.value) {
    last = { value, printed: new Date(Math.min(Math.max(value, FIRST_INSTANT), LAST_INSTANT)).toISOString() };
  }
  return last.printed;
}

const TYPES = {
  /** Instants are numbers in the model and timestamptz in the tables. */
  timestamptz: {
    to: 1184,
    from: [1184],
    serialize: toTimestamp,
    // The sessions' zone is UTC, so every text ends with +00; in its own format `Date.parse` is quick and reads all years right.
    parse: (text: string) => instant(Date.parse(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`)),
  },
  /** Every bigint we keep is a safe integer: counts, offsets, and money bounded by base/money.ts. */
  int8: { to: 20, from: [20], serialize: (value: number) => String(value), parse: (text: string) => Number(text) },
  texts: { to: 1009, from: [1009], serialize: printArray, parse: parseArray },
  uuids: { to: 2951, from: [2951], serialize: printArray, parse: parseArray },
};

const DRIVER = {
  types: TYPES,
  // The arrays that we use are above; the driver would ask every connection for all there are.
  fetch_types: false,
  transform: { column: { from: postgres.toCamel } },
  onnotice: () => {},
};

/**
 * Whoever asks a server gets an answer within two seconds, also that there is none: `silentMs` and `unconnectedMs` together stay below
 * that. A command rather waits than breaks off. `dialMs` is how long a connection may take to be made, whether anybody waits or not.
 */
const PROMPT: Patience & { dialMs: number } = { askAfterMs: 400, silentMs: 1_000, unconnectedMs: 600, dialMs: 1_000 };
const PATIENT: typeof PROMPT = { askAfterMs: 5_000, silentMs: 15_000, unconnectedMs: 10_000, dialMs: 10_000 };

type Types = { timestamptz: Instant; int8: number };

/** Reads; also the builder of SQL fragments. */
export type Sql = postgres.Sql<Types>;
export type Fragment = postgres.Fragment;

declare const writeBrand: unique symbol;
/** The right to write: it exists only inside `transaction` or `statement`. */
export type Tx = Sql & { readonly [writeBrand]: true };

export interface Database {
  readonly sql: Sql;
  /** Several statements, all or nothing. */
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
  /** Exactly one statement, which commits by itself: no extra round trips. */
  statement<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
  /** The same, but what one merchant asks of such a function at the same time is done by one statement in one commit. */
  gathered<Item extends OfMerchant, Result>(work: GatheredWork<Item, Result>, item: Item): Promise<Result>;
  /** Why it cannot be worked with right now, in words; undefined where it can. */
  findTrouble(): Promise<string | undefined>;
  close(): Promise<void>;
  /** Gives up all that is under way, and refuses everything from now on; `close` still ends it. */
  abandon(): void;
}

/** Does something for several of one merchant at once, and tells each its result in their order. */
export type GatheredWork<Item, Result> = (tx: Tx, items: readonly Item[]) => Promise<readonly Result[]>;

export interface DatabaseOptions {
  readonly maxConnections?: number;
  readonly applicationName?: string;
  /** Refuses a server that asks for no password: the embedded one always asks. */
  readonly requireScram?: boolean;
  /** Nobody waits for an answer: better slow than broken off. */
  readonly isPatient?: boolean;
  /** Told once when the database cannot be reached, or not be written to, any more; and once when it can again. */
  readonly onLost?: (error: unknown) => void;
  readonly onFound?: () => void;
  /** Sees every statement as it is sent: for tests that look at plans. */
  readonly onStatement?: (text: string, parameters: readonly unknown[]) => void;
}

export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const { onStatement, onLost = ignore, onFound = ignore } = options;
  const patience = options.isPatient ? PATIENT : PROMPT;
  const hosts = readHosts(url);
  // It only makes statements, and never connects.
  const maker = postgres(hosts.url, { ...DRIVER, ...applicationName(options) }) as unknown as Sql;
  const dialler = new Dialler(targetsOf(maker), hosts, {
    url: hosts.url,
    driver: { ...DRIVER, ...applicationName(options) },
    tls: tlsOf(maker),
    requireScram: options.requireScram ?? false,
    patienceMs: patience.dialMs,
    onStatement,
  });
  const pool = new Pool({
    max: options.maxConnections ?? 10,
    dial: () => dialler.dial(),
    onFailure: (error) => health.hear(error),
    onDown: onLost,
    onUp: onFound,
  });
  const health = new Health({
    pool,
    dialler,
    patience,
    mustBeWritable: hosts.mustBeWritable,
    onTrouble: onLost,
    onCured: onFound,
  });
  const sql = makeSql(maker, (statement) => pool.run(statement));
  const gatherers = new Map<unknown, (item: never) => Promise<unknown>>();
  return {
    sql,
    transaction: (work) => runTransaction(pool, (run) => makeSql(maker, run) as Tx, work),
    statement: (work) => work(sql as Tx),
    gathered<Item extends OfMerchant, Result>(work: GatheredWork<Item, Result>, item: Item) {
      let gatherer = gatherers.get(work) as ((item: Item) => Promise<Result>) | undefined;
      if (!gatherer) {
        gatherer = gather((items: readonly Item[]) => work(sql as Tx, items));
        gatherers.set(work, gatherer);
      }
      return gatherer(item);
    },
    async findTrouble() {
      if (health.trouble !== undefined) return health.trouble;
      const failure = await sql`select 1`.then(ignore, (error: unknown) => error);
      return failure === undefined ? undefined : (whyUnavailable(failure) ?? 'The database cannot answer.');
    },
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

/** As the driver reads them from the connection string and the environment. */
function targetsOf({ options: { host, port, path } }: Sql): readonly Target[] {
  return path ? [{ path }] : host.map((each, index) => ({ host: each, port: port[index] ?? 5432 }));
}

function tlsOf({ options }: Sql): TlsRules | undefined {
  const { ssl, sslnegotiation } = options as unknown as { ssl: TlsRules['mode']; sslnegotiation: string | null };
  return ssl ? { mode: ssl, direct: sslnegotiation === 'direct' } : undefined;
}

/** What makes statements as the driver does, and hands them over when they are awaited. Those within others never are. */
function makeSql(maker: Sql, run: (statement: Statement) => void): Sql {
  const own = (made: unknown): unknown => {
    if (made instanceof Promise) (made as unknown as Statement).handler = run;
    return made;
  };
  const sql = (first: never, ...rest: never[]): unknown => own(maker(first, ...rest));
  const { json, array, typed, types } = maker;
  const unsafe = (...args: Parameters<Sql['unsafe']>): unknown => own(maker.unsafe(...args));
  return Object.assign(sql, { json, array, typed, types, unsafe }) as unknown as Sql;
}
