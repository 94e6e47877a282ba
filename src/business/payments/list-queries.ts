/** Lists payments as the JSON that v2 returns for them. */
import { LIST_SEPARATOR } from '../../base/json.js';
import { instant } from '../../base/time.js';
import type { Fragment, Sql } from '../../database/database.js';
import { type ChangeFilter, changeClause, type PageRequest, type Position } from '../../database/keyset.js';
import { copyOfPayment, printPayment } from './json-columns.js';

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
