/**
 * Copies of sales as v1 lists them (decision 0199). A copy has the versions of the rows that were printed, so nobody has to renew it: it is
 * not found any more after a change of the sale, its payments or their refunds. Every change of a refund changes its payment too.
 */
import { LIST_SEPARATOR } from '../../base/json.js';
import { instant } from '../../base/time.js';
import type { Fragment, Sql, Tx } from '../../database/database.js';
import { fn } from '../../database/functions.js';
import { type Position, toPage } from '../../database/keyset.js';
import { NAMED_PRINTER, SALE_PRINTER } from './copies.js';
import { orderOfSales, pageOfSales, type SaleFilter, stampOfSale } from './queries.js';

/** The copy of `sale`. Null if there is no current one. */
const copyOfSale = (sql: Sql, merchantId: string): Fragment => sql`(
  select v1_json
  from sale_copies
  where merchant_id = ${merchantId} and sale_id = sale.sale_id and sale_copies.version = ${NAMED_PRINTER}
    and printer = ${SALE_PRINTER} and stamp = ${stampOfSale(sql, merchantId)}
)`;

/** A page of sales, as bytes. */
export interface CopiedPage {
  /** In the order of the page. */
  readonly saleIds: readonly string[];
  /** The copies with separators between them. The copy is empty for a sale without a current one. */
  readonly copies: Buffer;
  /** Whether all sales have a current copy. */
  readonly isComplete: boolean;
  readonly next: Position | undefined;
}

/** PostgreSQL joins the copies: it would send rows in pieces of 8 kB, and the server would wake up for each. */
export async function listCopies(sql: Sql, filter: SaleFilter): Promise<CopiedPage> {
  const { merchantId, page } = filter;
  const [row] = await sql`
    select string_agg(sale_id || ' ' || sort_id || ' ' || at, ','), string_agg(coalesce(copy, ''), ${LIST_SEPARATOR}::text),
      count(copy)::text
    from (
      select sale.sale_id, sale.sort_id, (extract(epoch from sale.created_at) * 1000)::bigint as at, ${copyOfSale(sql, merchantId)} as copy
      from (
        select
          sale_id, v1_id as sort_id, created_at, xmin::text as version,
          -- A sale of the API has one tender with the same id.
          case kind when 'API' then array[sale_id] else tender_ids end as tender_ids
        from sales
        where merchant_id = ${merchantId} ${pageOfSales(sql, filter)}
      ) sale
      order by ${orderOfSales(sql, filter)}
    ) found`.raw();
  const [heads, joined, copied] = row as [Buffer | null, Buffer | null, Buffer];
  const found = (heads?.toString('latin1').split(',') ?? []).map((head) => {
    const [saleId = '', sortId = '', at = ''] = head.split(' ');
    return { saleId, position: { at: instant(Number(at)), id: sortId } };
  });
  const { items, next } = toPage(found, page.limit, ({ position }) => position);
  const all = joined ?? Buffer.alloc(0);
  const end = items.length < found.length ? all.lastIndexOf(LIST_SEPARATOR) : all.length;
  // `copied` includes the copy of the sale after the page, if that sale has one.
  const isNextCopied = end + LIST_SEPARATOR.length < all.length;
  return {
    saleIds: items.map(({ saleId }) => saleId),
    copies: all.subarray(0, end),
    isComplete: Number(copied) - (isNextCopied ? 1 : 0) === items.length,
    next,
  };
}

/** The copy of each sale of a page. */
export function toSingleCopies({ saleIds, copies }: CopiedPage): readonly Buffer[] {
  let start = 0;
  return saleIds.map(() => {
    const end = copies.indexOf(LIST_SEPARATOR, start);
    const copy = copies.subarray(start, end < 0 ? copies.length : end);
    start = end + LIST_SEPARATOR.length;
    return copy;
  });
}

export interface SaleCopy {
  readonly saleId: string;
  readonly stamp: string;
  readonly v1Json: string;
}

export async function insertCopies(tx: Tx, merchantId: string, copies: readonly SaleCopy[]): Promise<void> {
  const rows = copies.map(({ saleId, stamp, v1Json }) => ({
    sale_id: saleId,
    version: NAMED_PRINTER,
    printer: SALE_PRINTER,
    stamp,
    v1_json: v1Json,
  }));
  await tx`select ${fn(tx, 'keep_sale_copies')}(${merchantId}, ${JSON.stringify(rows)}::text::json)`;
}
