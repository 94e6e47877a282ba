/** What runs statements and builds fragments of them: the driver's tagged template, with the types of our columns. */
import type postgres from 'postgres';
import { FIRST_INSTANT, type Instant, LAST_INSTANT } from '../base/time.js';

type Types = { timestamptz: Instant; int8: number };

/** Runs reads, and builds SQL fragments. */
export type Sql = postgres.Sql<Types>;
export type Fragment = postgres.Fragment;

declare const writeBrand: unique symbol;
/** Required for writes. It exists only inside `transaction`, `statement` and `batched`. */
export type Tx = Sql & { readonly [writeBrand]: true };

/** Most records have the same time in several columns, so the last result is cached. */
let lastValue = 0;
let lastPrinted = '1970-01-01T00:00:00.000Z';

/** The text of a timestamptz. Times outside the range that can be stored become its first or last instant. */
export function toTimestamp(value: Instant): string {
  if (value !== lastValue) {
    lastPrinted = new Date(Math.min(Math.max(value, FIRST_INSTANT), LAST_INSTANT)).toISOString();
    lastValue = value;
  }
  return lastPrinted;
}

/** The text of a bytea, for JSON and arrays. */
export function toBytea(bytes: Buffer): string {
  return `\\x${bytes.toString('hex')}`;
}
