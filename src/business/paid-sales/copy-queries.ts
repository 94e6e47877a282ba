/**
 * Copies of sales as v1 lists them (decision 0199). A copy has the versions of the rows that were printed, so nobody has to renew it: after a
 * change of the sale, its payments or their refunds it is not found any more. Every change of a refund changes its payment too.
 */
import { instant } from '../../base/time.js';
import type { Fragment, Sql, Tx } from '../../database/database.js';
import { fn } from '../../database/functions.js';
import { type Page, toPage } from '../../database/keyset.js';
import { orderOfSales, pageOfSales, type SaleFilter, stampOfSale } from './queries.js';

/** Raise it with every change of what `printV1Payment` prints, here, in `receipts/` and in `refunds/`. */
const COPY_VERSION = 1;

/** The most characters that one request keeps: a page has about a million. */
const MAX_KEPT_LENGTH = 4 * 1024 * 1024;

/** The copy of `sale`. Null if there is no current one. */
const copyOfSale = (sql: Sql, merchantId: string): Fragment => sql`(
  select v1_json
  from sale_copies
  where merchant_id = ${merchantId} and sale_id = sale.sale_id and sale_copies.version = ${COPY_VERSION}
    and stamp = ${stampOfSale(sql, merchantId)}
)`;

export interface ListedSale {
  readonly saleId: string;
  readonly v1Id: string;
  readonly createdAt: number;
  /** The bytes of its copy. Null without one. */
  readonly copy: Buffer | null;
}

/** A page of sales, with those copies that are current. */
export async function listWithCopies(sql: Sql, filter: SaleFilter): Promise<Page<ListedSale>> {
  const { merchantId, page } = filter;
  const rows = await sql`
    select sale.sale_id, sale.v1_id, extract(epoch from sale.created_at) * 1000, ${copyOfSale(sql, merchantId)}
    from (
      select
        sale_id, v1_id, created_at, xmin::text as version,
        -- A sale of the API has one tender with the same id.
        case kind when 'API' then array[sale_id] else tender_ids end as tender_ids
      from sales
      where merchant_id = ${merchantId} ${pageOfSales(sql, filter)}
    ) sale
    order by ${orderOfSales(sql, filter)}`.raw();
  const listed = (rows as unknown as [Buffer, Buffer, Buffer, Buffer | null][]).map(
    ([saleId, v1Id, createdAt, copy]) => ({
      saleId: saleId.toString('latin1'),
      v1Id: v1Id.toString('latin1'),
      createdAt: Number(createdAt),
      copy,
    }),
  );
  return toPage(listed, page.limit, ({ createdAt, v1Id }) => ({ at: instant(createdAt), id: v1Id }));
}

export interface SaleCopy {
  readonly saleId: string;
  readonly stamp: string;
  readonly v1Json: string;
}

export async function insertCopies(tx: Tx, merchantId: string, copies: readonly SaleCopy[]): Promise<void> {
  let length = 0;
  const rows = copies.map(({ saleId, stamp, v1Json }) => ({
    sale_id: saleId,
    version: COPY_VERSION,
    stamp,
    v1_json: v1Json,
  }));
  const kept = rows.filter(({ v1_json }) => {
    length += v1_json.length;
    return length <= MAX_KEPT_LENGTH;
  });
  await tx`select ${fn(tx, 'keep_sale_copies')}(${merchantId}, ${JSON.stringify(kept)}::text::json)`;
}
