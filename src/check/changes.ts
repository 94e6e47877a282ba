/** Finds in one scan of each table which rows have changed since the last check, and which are gone (decision 0259). */
import type { Tx } from '../database/database.js';
import { isNewer, toXid } from './horizon.js';
import { WATCHED, WATCHED_TABLES, type Watched, type WatchedTable } from './watched.js';

/** Ids are made before their rows are committed. Younger rows are remembered one by one, because older ids may still come. */
const YOUNG_MS = 60_000;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** No id contains these characters. */
const [BETWEEN_IDS, BETWEEN_ROWS] = ['\x1f', '\x1e'];

/** What the rows of a merchant in one table were. */
interface Sum {
  /** Of the hashes of what the rows are. */
  readonly sum: string;
  /** The hashes of young rows. */
  readonly young: readonly string[];
}

/** For each table and merchant. A row that is gone, or belongs to another record, changes the sum. */
export interface Sums {
  /** Rows whose ids were made later are young. In milliseconds of the epoch. */
  readonly until: number;
  readonly of: Readonly<Partial<Record<WatchedTable, Readonly<Record<string, Sum>>>>>;
}

/** The ids that a changed row names. The first one is its own. */
export interface ChangedRow {
  readonly merchantId: string;
  readonly ids: readonly string[];
}

export interface Changes {
  readonly sums: Sums;
  readonly rows: Readonly<Partial<Record<WatchedTable, readonly ChangedRow[]>>>;
  /** Merchants of which a row is gone, or says that it is another one. */
  readonly suspects: ReadonlySet<string>;
}

export interface Since {
  readonly horizon: string;
  readonly sums: Sums;
}

/** `at` is the moment of this check. */
export async function findChanges(tx: Tx, at: string, since?: Since): Promise<Changes> {
  const until = Date.parse(at) - YOUNG_MS;
  const sums: Partial<Record<WatchedTable, Record<string, Sum>>> = {};
  const rows: Partial<Record<WatchedTable, ChangedRow[]>> = {};
  const suspects = new Set<string>();
  for (const table of WATCHED_TABLES) {
    const found = await scan(tx, table, until, since);
    if ('identity' in WATCHED[table]) {
      sums[table] = Object.fromEntries(
        found.map(({ merchantId, sum, young }) => [merchantId, { sum, young: split(young, ' ') }]),
      );
    }
    if (since) for (const merchantId of findSuspects(found, since.sums.of[table] ?? {})) suspects.add(merchantId);
    rows[table] = found.flatMap(({ merchantId, changed }) =>
      split(changed, BETWEEN_ROWS).map((ids) => ({ merchantId, ids: split(ids, BETWEEN_IDS) })),
    );
  }
  return { sums: { until, of: sums }, rows, suspects };
}

interface Scanned {
  readonly merchantId: string;
  readonly sum: string;
  readonly young: string | null;
  /** Over the rows that the last check added up. */
  readonly sumThen: string;
  /** Of the young rows of the last check. */
  readonly foundYoung: number;
  readonly changed: string | null;
}

async function scan(tx: Tx, table: WatchedTable, until: number, since?: Since): Promise<readonly Scanned[]> {
  const watched: Watched = WATCHED[table];
  const made = watched.isUnordered || !watched.identity ? "''" : `(${watched.id}) collate "C"`;
  const youngBefore = Object.values(since?.sums.of[table] ?? {}).flatMap(({ young }) => young);
  const parameters = [
    firstId(table, until),
    since ? firstId(table, since.sums.until) : '',
    `{${youngBefore.join(',')}}`,
    ...(since ? [toXid(since.horizon)] : []),
  ];
  const refs = `case when is_new then concat_ws(E'\\x1f', ${watched.refs.join(', ')}) end`;
  // `offset 0` keeps the hash in a subquery, so that it is computed once for each row.
  return tx.unsafe<Scanned[]>(
    `select merchant_id,
      coalesce(sum(hash) filter (where made < $1::text), 0)::text as sum,
      string_agg(hash::text, ' ') filter (where made >= $1::text) as young,
      coalesce(sum(hash) filter (where made < $2::text), 0)::text as sum_then,
      count(*) filter (where made >= $2::text and hash = any ($3::text::bigint[])) as found_young,
      string_agg(refs, E'\\x1e') filter (where is_new) as changed
    from (
      select merchant_id, made, hash, is_new, ${watched.refs.length > 0 ? refs : 'null::text'} as refs
      from (
        select *, ${made} as made, ${hashOf(watched)} as hash, ${since ? isNewer(table, '$4::text') : 'false'} as is_new
        from ${table}
        offset 0
      ) as each
    ) as rows
    group by merchant_id`,
    parameters,
  );
}

function hashOf({ identity }: Watched): string {
  if (!identity) return '0::bigint';
  return `hashtextextended(concat_ws(' ', ${identity.map((column) => `coalesce(${column}::text, '-')`).join(', ')}), 0)`;
}

/** The first id that is made at this time: ids begin with it, in milliseconds (decision 0014). */
function firstId(table: WatchedTable, time: number): string {
  if (table === 'cash_drawer_events') return time.toString(16).padStart(12, '0').replace(/^.{8}/, '$&-');
  let id = '';
  for (let rest = time; id.length < 8; rest = Math.floor(rest / 62)) id = (BASE62[rest % 62] ?? '') + id;
  return id;
}

function findSuspects(found: readonly Scanned[], before: Readonly<Record<string, Sum>>): string[] {
  const now = new Map(found.map((each) => [each.merchantId, each]));
  return [...new Set([...now.keys(), ...Object.keys(before)])].filter((merchantId) => {
    const [each, then] = [now.get(merchantId), before[merchantId]];
    return (each?.sumThen ?? '0') !== (then?.sum ?? '0') || (each?.foundYoung ?? 0) !== (then?.young.length ?? 0);
  });
}

function split(text: string | null, separator: string): readonly string[] {
  return text === null || text === '' ? [] : text.split(separator);
}
