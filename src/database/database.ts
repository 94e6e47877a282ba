/** The door to PostgreSQL: a pool, reads, single statements and transactions. */
import { connect, type Socket } from 'node:net';
import postgres from 'postgres';
import { FIRST_INSTANT, type Instant, instant, LAST_INSTANT } from '../base/time.js';
import { parseArray, printArray } from './arrays.js';
import { type Address, openSockets } from './driver-sockets.js';
import { gather, type OfMerchant } from './gather.js';

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
  close(): Promise<void>;
}

/** Does something for several of one merchant at once, and tells each its result in their order. */
export type GatheredWork<Item, Result> = (tx: Tx, items: readonly Item[]) => Promise<readonly Result[]>;

export interface DatabaseOptions {
  readonly maxConnections?: number;
  readonly applicationName?: string;
  /** Refuses a server that asks for no password: the embedded one always asks. */
  readonly requireScram?: boolean;
  /** Sees every statement as it is sent: for tests that look at plans. */
  readonly onStatement?: (text: string, parameters: readonly unknown[]) => void;
}

export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const { onStatement } = options;
  const sql = postgres(url, {
    max: options.maxConnections ?? 10,
    types: TYPES,
    // The arrays that we use are above. The driver would ask every connection for all there are, and where the database goes
    // away before it has answered, nobody catches that: the process would end.
    fetch_types: false,
    transform: { column: { from: postgres.toCamel } },
    connection: { application_name: options.applicationName ?? 'tillhouse', TimeZone: 'UTC' },
    onnotice: () => {},
    connect_timeout: 10,
    backoff: () => 0.05, // an embedded PostgreSQL that was killed is back at once
    ...openSockets(url, { ...options, connect: connectAtOnce }),
    ...(onStatement && { debug: (_connection, text, parameters) => onStatement(text, parameters) }),
  }) as unknown as Sql;
  const gatherers = new Map<unknown, (item: never) => Promise<unknown>>();
  return {
    sql,
    transaction: (work) => sql.begin((tx) => work(tx as unknown as Tx)) as Promise<never>,
    statement: (work) => work(sql as Tx),
    gathered<Item extends OfMerchant, Result>(work: GatheredWork<Item, Result>, item: Item) {
      let gatherer = gatherers.get(work) as ((item: Item) => Promise<Result>) | undefined;
      if (!gatherer) {
        gatherer = gather((items: readonly Item[]) => work(sql as Tx, items));
        gatherers.set(work, gatherer);
      }
      return gatherer(item);
    },
    close: () => sql.end({ timeout: 5 }),
  };
}

/**
 * A connection on which nothing waits for company: otherwise a small message behind a large one, as at the end of a copy, lies
 * in the socket until the other side has acknowledged the large one, which takes it 40 ms.
 */
function connectAtOnce(address: Address): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...address, noDelay: true });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      failIfRefused(socket);
      resolve(socket);
    });
  });
}

/** What PostgreSQL says last before it hears statements: that it is ready. */
const READY = Buffer.from('Z\0\0\0\x05I', 'latin1');

/**
 * Where PostgreSQL refuses a connection, the driver tells so to the statement that wanted it, but not if the connection before
 * was lost with a statement under way: then it tries again without end, and the statement waits as long.
 */
function failIfRefused(socket: Socket): void {
  const refused = (): void => {
    socket.destroy(new Error('PostgreSQL refused the connection.'));
  };
  const watch = (bytes: Buffer): void => {
    if (bytes.subarray(-READY.length).equals(READY)) socket.off('data', watch).off('end', refused);
  };
  socket.on('data', watch).on('end', refused);
}
