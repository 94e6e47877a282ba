/** The door to PostgreSQL: a pool, reads, single statements and transactions. */
import postgres from 'postgres';
import { FIRST_INSTANT, type Instant, instant, LAST_INSTANT } from '../base/time.js';

const TYPES = {
  /** Instants are numbers in the model and timestamptz in the tables. */
  timestamptz: {
    to: 1184,
    from: [1184],
    // What would lie before the first or after the last moment that can be kept lies there.
    serialize: (value: Instant) => new Date(Math.min(Math.max(value, FIRST_INSTANT), LAST_INSTANT)).toISOString(),
    // `Date.parse` reads the years 0001 to 0099 right only in its own format.
    parse: (text: string) => instant(Date.parse(text.startsWith('00') ? `${text.replace(' ', 'T')}:00` : text)),
  },
  /** Every bigint we keep is a safe integer: counts, offsets, and money bounded by base/money.ts. */
  int8: { to: 20, from: [20], serialize: (value: number) => String(value), parse: (text: string) => Number(text) },
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
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly maxConnections?: number;
  readonly applicationName?: string;
  /** Sees every statement as it is sent: for tests that look at plans. */
  readonly onStatement?: (text: string, parameters: readonly unknown[]) => void;
}

export function openDatabase(url: string, options: DatabaseOptions = {}): Database {
  const { onStatement } = options;
  const sql = postgres(url, {
    max: options.maxConnections ?? 10,
    types: TYPES,
    transform: { column: { from: postgres.toCamel } },
    connection: { application_name: options.applicationName ?? 'tillhouse', TimeZone: 'UTC' },
    onnotice: () => {},
    connect_timeout: 10,
    backoff: () => 0.05, // an embedded PostgreSQL that was killed is back at once
    ...(onStatement && { debug: (_connection, text, parameters) => onStatement(text, parameters) }),
  }) as unknown as Sql;
  return {
    sql,
    transaction: (work) => sql.begin((tx) => work(tx as unknown as Tx)) as Promise<never>,
    statement: (work) => work(sql as Tx),
    close: () => sql.end({ timeout: 5 }),
  };
}
