/** The v2 JSON of payments as reads return it: the stored copies, and new prints of those that have none. Of card payments only (decision 0025). */
import { LIST_SEPARATOR } from '../../base/json.js';
import { RECEIPT_STATUS, type ReceiptSite } from '../../base/receipt-url.js';
import { instant } from '../../base/time.js';
import type { Database, Fragment, Sql, Tx } from '../../database/database.js';
import { type ChangeFilter, changeClause, type PageRequest, type Position } from '../../database/keyset.js';
import { hasCurrentCopy } from './copy-queries.js';
import type { Payment } from './model.js';
import { PAYMENT_COLUMNS } from './table.js';
import { END_WITHOUT_RECEIPT, endWithReceipt, printPayment } from './v2.view.js';

/** A copy with its end. Null if there is no current copy. `after` is what comes after the id of the payment, if it differs in each row. */
function printedCopy(sql: Sql, site: ReceiptSite, after?: Fragment): Fragment {
  const end = endWithReceipt(site);
  return sql`
    case when ${hasCurrentCopy(sql)} then
      v2_json || case status
        when ${RECEIPT_STATUS} then ${end.before}::text || payment_id || ${after ?? sql`${end.after}::text`}
        else ${END_WITHOUT_RECEIPT}::text
      end
    end`;
}

/**
 * v2 shows payments of cards (decision 0025). For a search by key: with plain conditions PostgreSQL could read an index of all card payments
 * of the merchant instead, as long as it has no statistics about the table.
 */
function isShownByV2(sql: Sql): Fragment {
  return sql`case when source_type = 'CARD' then status <> 'PENDING' end`;
}

interface AskedPayment extends ReceiptSite {
  readonly paymentId: string;
}

/** Requests that arrive together share a statement, as those that create payments do (decision 0175). */
export function findPaymentJson(database: Database, asked: AskedPayment): Promise<string | undefined> {
  return database.batched(listPaymentJsons, asked);
}

async function listPaymentJsons(
  tx: Tx,
  asked: readonly AskedPayment[],
  isShared: boolean,
): Promise<readonly (string | undefined)[]> {
  const [first] = asked;
  if (!isShared || !first || asked.length === 1) return Promise.all(asked.map((each) => findAlone(tx, each)));
  const merchantIds = asked.map(({ merchantId }) => merchantId);
  const paymentIds = asked.map(({ paymentId }) => paymentId);
  const ends = asked.map((each) => endWithReceipt(each).after);
  // A subquery is always a search by key. A join could become a scan of the table.
  const rows = await tx<{ v2Json: string | null }[]>`
    select (
      select coalesce(${printedCopy(tx, first, tx`asked.after`)}, '')
      from payments
      where payments.merchant_id = asked.merchant_id and payments.payment_id = asked.payment_id and ${isShownByV2(tx)}
    ) as v2_json
    from unnest(${merchantIds}::text[], ${paymentIds}::text[], ${ends}::text[])
      with ordinality as asked (merchant_id, payment_id, after, place)
    order by place`;
  return Promise.all(asked.map((each, index) => fromCopy(tx, each, rows[index]?.v2Json ?? null)));
}

/** Null: there is no such payment. Empty: it has no current copy. */
function fromCopy(sql: Sql, asked: AskedPayment, v2Json: string | null) {
  if (v2Json === null) return undefined;
  return v2Json === '' ? printAlone(sql, asked) : v2Json;
}

async function findAlone(sql: Sql, asked: AskedPayment): Promise<string | undefined> {
  const [row] = await sql<{ v2Json: string | null }[]>`
    select ${printedCopy(sql, asked)} as v2_json
    from payments
    where merchant_id = ${asked.merchantId} and payment_id = ${asked.paymentId} and ${isShownByV2(sql)}`;
  return row && (row.v2Json ?? printAlone(sql, asked));
}

async function printAlone(sql: Sql, { paymentId, ...site }: AskedPayment): Promise<string | undefined> {
  const [payment] = await sql<Payment[]>`
    select ${PAYMENT_COLUMNS.select(sql)}
    from payments
    where merchant_id = ${site.merchantId} and payment_id = ${paymentId} and ${isShownByV2(sql)}`;
  return payment && printPayment(payment, site);
}

export interface PaymentFilter extends ChangeFilter, ReceiptSite {
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
  const { page, sortBy = 'created_at' } = filter;
  const copies = await readCopies(sql, filter);
  const { json, found } = copies.printed === copies.found ? copies : await printPage(sql, filter);
  if (!json || found <= page.limit) return { json, next: undefined };
  const shown = json.subarray(0, json.lastIndexOf(LIST_SEPARATOR));
  return { json: shown, next: positionOfLast(shown, sortBy) };
}

async function readCopies(sql: Sql, filter: PaymentFilter) {
  const [row] = await sql`
    select string_agg(v2_json, ${LIST_SEPARATOR}::text), count(*)::text, count(v2_json)::text
    from (
      select ${printedCopy(sql, filter)} as v2_json
      from payments
      where merchant_id = ${filter.merchantId} ${filtered(sql, filter)}
    ) as found`.raw();
  const [json, found, printed] = row as (Buffer | null)[];
  return { json: json ?? undefined, found: Number(found), printed: Number(printed) };
}

async function printPage(sql: Sql, filter: PaymentFilter) {
  const payments = await sql<Payment[]>`
    select ${PAYMENT_COLUMNS.select(sql)}
    from payments
    where merchant_id = ${filter.merchantId} ${filtered(sql, filter)}`;
  const json = Buffer.from(payments.map((payment) => printPayment(payment, filter)).join(LIST_SEPARATOR));
  return { json: payments.length === 0 ? undefined : json, found: payments.length };
}

function filtered(sql: Sql, filter: PaymentFilter): Fragment {
  const { locationId, total, last4, cardBrand, page } = filter;
  return sql`
    and source_type = 'CARD' and status <> 'PENDING'
    ${locationId === undefined ? sql`` : sql`and location_id = ${locationId}`}
    ${total === undefined ? sql`` : sql`and total = ${total}`}
    ${last4 === undefined ? sql`` : sql`and last_4 = ${last4}`}
    ${cardBrand === undefined ? sql`` : sql`and card_brand = ${cardBrand}`}
    ${changeClause(sql, 'payment_id', filter, page)}`;
}

function positionOfLast(json: Buffer, sortBy: 'created_at' | 'updated_at'): Position {
  const before = json.lastIndexOf(LIST_SEPARATOR);
  const last = JSON.parse(json.toString('utf8', before < 0 ? 0 : before + LIST_SEPARATOR.length));
  return { at: instant(Date.parse(last[sortBy])), id: last.id };
}
