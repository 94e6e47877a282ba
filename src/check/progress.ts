/** Up to where the books were checked, for the next check (decision 0249). */
import type { Fragment, Sql, Tx } from '../database/database.js';
import type { Since, Sums } from './changes.js';
import type { OpenFinding } from './find.js';

/** After so many days, a check reads everything again. */
export const FULL_AFTER_DAYS = 7;
/** Far fewer than the two billion after which transaction ids cannot be compared. */
const MAX_TRANSACTIONS = 1_000_000_000;

/** Where ids of transactions mean the same, and what was checked there. */
export interface Key {
  readonly place: string;
  readonly laws: string;
}

export interface Progress extends Since {
  /** The records that broke a law. */
  readonly open: readonly OpenFinding[];
  /** In UTC, in the format of RFC 3339. */
  readonly fullyCheckedAt: string;
}

/** What a check sees is from this moment. */
export interface Moment {
  readonly horizon: string;
  /** On the clock of the database, in UTC, in the format of RFC 3339. */
  readonly at: string;
}

/**
 * The horizon is the oldest transaction that is open, or the next one. Not the whole snapshot: it does not list open subtransactions, but those are always
 * younger than their transaction.
 */
export async function findMoment(tx: Tx): Promise<Moment> {
  const [found] = await tx<Moment[]>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as horizon, ${printUtc(tx, tx`now()`)} as at`;
  return found ?? { horizon: '0', at: '-infinity' };
}

function printUtc(sql: Sql, time: Fragment): Fragment {
  return sql`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/** The cluster and the database; a restored backup is another one. Undefined if the server does not tell its clients. */
export async function findPlace(sql: Sql): Promise<string | undefined> {
  const [right] = await sql<{ tells: boolean }[]>`
    select has_function_privilege('pg_control_system()', 'execute') as tells`;
  if (!right?.tells) return undefined;
  const [found] = await sql<{ place: string }[]>`
    select system_identifier || ' ' || oid as place
    from pg_control_system(), pg_database
    where datname = current_database()`;
  return found?.place;
}

/** Undefined: everything has to be read. */
export async function readProgress(sql: Sql, { place, laws }: Key): Promise<Progress | undefined> {
  const [found] = await sql<{ horizon: string; sums: Sums; openFindings: OpenFinding[]; fullyCheckedAt: string }[]>`
    select horizon::text as horizon, sums, open_findings, ${printUtc(sql, sql`fully_checked_at`)} as fully_checked_at
    from check_progress
    where place = ${place} and laws = ${laws} and sums is not null
      -- Not in the future: somebody has set the clock back.
      and check_progress.fully_checked_at between now() - ${`${FULL_AFTER_DAYS} days`}::text::interval and now()
      and pg_snapshot_xmax(pg_current_snapshot())::text::bigint - horizon between 0 and ${MAX_TRANSACTIONS}`;
  if (!found) return undefined;
  const { horizon, sums, openFindings: open, fullyCheckedAt } = found;
  return { horizon, sums, open, fullyCheckedAt };
}
