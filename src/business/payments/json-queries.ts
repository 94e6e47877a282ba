/** The v2 JSON of payments: stored copies, which are read and renewed here, and new prints. Of card payments only (decision 0025). */
import { LIST_SEPARATOR } from '../../base/json.js';
import { instant } from '../../base/time.js';
import type { Database, Fragment, Sql, Tx } from '../../database/database.js';
import { fn } from '../../database/functions.js';
import { type ChangeFilter, changeClause, type PageRequest, type Position } from '../../database/keyset.js';

/** The JSON text that v2 returns for a payment. */
export interface PaymentJson {
  readonly v2Json: string;
}

/** Null if the copy is of another version. */
function copyOfPayment(sql: Sql): Fragment {
  return sql`case when v2_json_version = ${fn(sql, 'payment_copy_version')}() then v2_json end`;
}

function printPayment(sql: Sql): Fragment {
  return sql`${fn(sql, 'print_payment')}(row(payments.*)::payments)`;
}

/**
 * Reads card payments with their v2 JSON: the copies, or new prints if a copy has another version. A print needs the whole row, which costs
 * a distributed database more than the rest of the statement.
 */
export async function readWithJson<Row extends PaymentJson>(
  sql: Sql,
  read: (v2Json: Fragment) => PromiseLike<readonly Row[]>,
): Promise<readonly Row[]> {
  const rows = await read(copyOfPayment(sql));
  if (rows.every(({ v2Json }) => v2Json !== null)) return rows;
  return read(printPayment(sql));
}

/**
 * v2 shows payments of cards (decision 0025). For a search by key: with plain conditions PostgreSQL could read an index of all card payments
 * of the merchant instead, as long as it has no statistics about the table.
 */
function isShownByV2(sql: Sql): Fragment {
  return sql`case when source_type = 'CARD' then status <> 'PENDING' end`;
}

interface PaymentKey {
  readonly merchantId: string;
  readonly paymentId: string;
}

/** Requests that arrive together share a statement, as those that create payments do (decision 0175). */
export function findPaymentJson(database: Database, key: PaymentKey): Promise<PaymentJson | undefined> {
  return database.batched(listPaymentJsons, key);
}

async function listPaymentJsons(
  tx: Tx,
  keys: readonly PaymentKey[],
  isShared: boolean,
): Promise<readonly (PaymentJson | undefined)[]> {
  if (!isShared || keys.length === 1) return Promise.all(keys.map((key) => findAlone(tx, key)));
  const merchantIds = keys.map(({ merchantId }) => merchantId);
  const paymentIds = keys.map(({ paymentId }) => paymentId);
  // A subquery is always a search by key. A join could become a scan of the table.
  const rows = await tx<{ v2Json: string | null }[]>`
    select (
      select case when v2_json_version = ${fn(tx, 'payment_copy_version')}() then v2_json else '' end
      from payments
      where payments.merchant_id = asked.merchant_id and payments.payment_id = asked.payment_id and ${isShownByV2(tx)}
    ) as v2_json
    from unnest(${merchantIds}::text[], ${paymentIds}::text[]) with ordinality as asked (merchant_id, payment_id, place)
    order by place`;
  return Promise.all(keys.map((key, index) => fromCopy(tx, key, rows[index]?.v2Json ?? null)));
}

/** Null: there is no such payment. Empty: its copy is of another version. */
function fromCopy(
  sql: Sql,
  key: PaymentKey,
  v2Json: string | null,
): PaymentJson | undefined | Promise<PaymentJson | undefined> {
  if (v2Json === null) return undefined;
  return v2Json === '' ? findAlone(sql, key) : { v2Json };
}

async function findAlone(sql: Sql, { merchantId, paymentId }: PaymentKey): Promise<PaymentJson | undefined> {
  const [row] = await readWithJson(
    sql,
    (v2Json) => sql<PaymentJson[]>`
      select ${v2Json} as v2_json
      from payments
      where merchant_id = ${merchantId} and payment_id = ${paymentId} and ${isShownByV2(sql)}`,
  );
  return row;
}

export interface PaymentFilter extends ChangeFilter {
  readonly merchantId: string;
  readonly locationId?: string | undefined;
  readonly total?: number | undefined;
  readonly last4?: string | undefined;
  readonly cardBrand?: string | undefined;
  readonly page: PageRequest;
}

/** The JSON of the payments of a page, with separators between them, as bytes. Undefined: there is none. */
export interface PrintedPage {
  readonly json: Buffer | undefined;
  readonly next: Position | undefined;
}

/**
 * A page of payments. PostgreSQL joins their copies, and the server passes the bytes on without reading them. Only the last payment is
 * parsed, for the position of the next page: to let PostgreSQL number the rows took more than half of its time.
 */
export async function listPayments(sql: Sql, filter: PaymentFilter): Promise<PrintedPage> {
  const { merchantId, locationId, total, last4, cardBrand, page, sortBy = 'created_at' } = filter;
  const read = async (v2Json: Fragment) => {
    const [row] = await sql`
      select string_agg(v2_json, ${LIST_SEPARATOR}::text), count(*)::text, count(v2_json)::text
      from (
        select ${v2Json} as v2_json
        from payments
        where merchant_id = ${merchantId} and source_type = 'CARD' and status <> 'PENDING'
        ${locationId === undefined ? sql`` : sql`and location_id = ${locationId}`}
        ${total === undefined ? sql`` : sql`and total = ${total}`}
        ${last4 === undefined ? sql`` : sql`and last_4 = ${last4}`}
        ${cardBrand === undefined ? sql`` : sql`and card_brand = ${cardBrand}`}
        ${changeClause(sql, 'payment_id', filter, page)}
      ) as found`.raw();
    const [json, found, printed] = row as (Buffer | null)[];
    return { json: json ?? undefined, found: Number(found), printed: Number(printed) };
  };
  const copies = await read(copyOfPayment(sql));
  const { json, found } = copies.printed === copies.found ? copies : await read(printPayment(sql));
  if (!json || found <= page.limit) return { json, next: undefined };
  const shown = json.subarray(0, json.lastIndexOf(LIST_SEPARATOR));
  return { json: shown, next: positionOfLast(shown, sortBy) };
}

function positionOfLast(json: Buffer, sortBy: 'created_at' | 'updated_at'): Position {
  const before = json.lastIndexOf(LIST_SEPARATOR);
  const last = JSON.parse(json.toString('utf8', before < 0 ? 0 : before + LIST_SEPARATOR.length));
  return { at: instant(Date.parse(last[sortBy])), id: last.id };
}

/**
 * Merchants after `after`, in the order of their ids, whose payments may have copies of an older version. On one shard, see
 * `listShards`. Reads without locks.
 */
export async function listMerchantsWithOldCopies(
  sql: Sql,
  { shard, after, limit }: { readonly shard: string; readonly after: string; readonly limit: number },
): Promise<string[]> {
  const rows = await sql<{ merchantId: string }[]>`
    select ${fn(sql, 'list_merchants_with_old_copies')}(${shard}, ${after}, ${limit}) as merchant_id`;
  return rows.map(({ merchantId }) => merchantId);
}

/** Renews the copies of the next payments of a merchant, at most `limit`. Returns whether there are more. */
export async function updateOldCopies(tx: Tx, merchantId: string, limit: number): Promise<boolean> {
  const [row] = await tx<{ hasMore: boolean }[]>`
    select ${fn(tx, 'renew_payment_copies')}(${merchantId}, ${limit}) as has_more`;
  return row?.hasMore ?? false;
}
