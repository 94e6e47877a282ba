/** SQL statements that list, search and show sales for the owner. */
import type { Instant } from '../../base/time.js';
import type { Fragment, Sql } from '../../database/database.js';
import { fn } from '../../database/functions.js';
import {
  type LocationRange,
  type Page,
  type PageRequest,
  type Position,
  pageClause,
  type SortOrder,
  type TimeRange,
  toPage,
  within,
} from '../../database/keyset.js';
import type { SaleKind, SaleState } from '../sales/model.js';
import { selectV1Id } from '../sales/queries.js';
import type { TenderType } from '../tenders/model.js';
import type { OwnerSale } from './owner-model.js';
import type { SaleSearch } from './search.js';

export interface OwnerSaleFilter {
  readonly merchantId: string;
  readonly locationId: string | undefined;
  readonly created: TimeRange;
  /** Empty: no restriction to days. */
  readonly days: readonly LocationRange[];
  readonly kind: SaleKind | undefined;
  readonly state: SaleState | undefined;
  readonly tenderType: TenderType | undefined;
  readonly cardBrand: string | undefined;
  readonly employeeId: string | undefined;
  readonly refunded: boolean | undefined;
  /** Only sales with an open flag. They are few, and an index finds them. */
  readonly isFlagged?: boolean;
  readonly search: SaleSearch | undefined;
  /** Receipt numbers are searched among the sales since then. */
  readonly receiptsSince: Instant;
  readonly order: SortOrder;
  readonly page: PageRequest;
}

/**
 * The number of sales that a page looks at, if a filter without an index is set. If it finds fewer than fill the page, the page is short,
 * and the next one continues there. So each page takes a limited time, however rare the wanted sales are.
 */
const LOOKED_AT = 10_000;

/** A sale with the id that orders the sales of one time. */
type SaleRow = OwnerSale & { readonly sortId: string };

/** One page in one statement. A page can have fewer sales than its limit, or none, although there is a next page. */
export async function listOwnerSales(sql: Sql, filter: OwnerSaleFilter): Promise<Page<OwnerSale>> {
  const { merchantId, page, search } = filter;
  if (search !== undefined || !hasUnindexedFilter(filter)) {
    const rows = await sql<SaleRow[]>`
      select ${columns(sql, filter)}
      from (${pageOfSales(sql, filter)}) sale
      ${listTendersOfSale(sql, merchantId)}
      where sale.merchant_id = ${merchantId}
      ${inOrder(sql, filter)}`;
    return toPage(rows, page.limit, toPosition);
  }
  const rows = await sql<((SaleRow | NoSale) & Edge)[]>`
    select edge.at as edge_at, edge.id as edge_id, edge.count = ${LOOKED_AT} as is_full, ${columns(sql, filter)}
    from (${edgeOfScan(sql, filter)}) edge
    left join lateral (${pageOfSales(sql, filter, reaches(sql, filter))}) sale on sale.merchant_id = ${merchantId}
    ${listTendersOfSale(sql, merchantId)}
    ${inOrder(sql, filter)}`;
  const { items, next } = toPage(rows.filter(isSale), page.limit, toPosition);
  const [first] = rows;
  const edge = first?.isFull ? { at: first.edgeAt, id: first.edgeId } : undefined;
  return { items, next: next ?? edge };
}

/** The last sale that a page looks at. */
interface Edge {
  readonly edgeAt: Instant;
  readonly edgeId: string;
  readonly isFull: boolean;
}

/** The only row of an empty page: it has no sale, but says how far the page has looked. */
interface NoSale {
  readonly id: null;
}

function isSale<Row extends SaleRow | NoSale>(row: Row): row is Row & SaleRow {
  return row.id !== null;
}

function toPosition({ createdAt, sortId }: SaleRow): Position {
  return { at: createdAt, id: sortId };
}

function hasUnindexedFilter({ kind, state, tenderType, cardBrand, employeeId, refunded }: OwnerSaleFilter): boolean {
  return [kind, state, tenderType, cardBrand, employeeId, refunded].some((value) => value !== undefined);
}

function columns(sql: Sql, { merchantId }: Pick<OwnerSaleFilter, 'merchantId'>): Fragment {
  return sql`
    sale.sale_id as id, sale.payment_id as v1_id, sale.sort_id, sale.location_id, sale.kind, sale.state, sale.created_at, sale.employee_id, sale.device_id,
    sale.device_name, sale.receipt -> 'items' -> 0 ->> 'name' as first_item,
    coalesce(json_array_length(sale.receipt -> 'items'), 0) as item_count, paid.tenders,
    (
      select order_id
      from orders
      where orders.merchant_id = ${merchantId} and orders.sale_id = sale.sale_id and sale.kind = 'ONLINE_STORE'
    ) as order_id`;
}

function pageOfSales(sql: Sql, filter: OwnerSaleFilter, within?: Fragment): Fragment {
  return sql`
    select
      merchant_id, sale_id, v1_id as sort_id, ${selectV1Id(sql, 'sales')} as payment_id, location_id, kind, state, created_at,
      employee_id, device_id, device_name, receipt,
      case kind when 'API' then array[sale_id] else tender_ids end as tender_ids
    from sales
    where merchant_id = ${filter.merchantId} and created_at is not null
    ${indexedConditions(sql, filter)}
    ${otherConditions(sql, filter)}
    ${within ?? sql``}
    ${pageClause(sql, { at: 'created_at', id: 'v1_id' }, filter.page, filter.order)}`;
}

function inOrder(sql: Sql, { order }: OwnerSaleFilter): Fragment {
  return order === 'ASC'
    ? sql`order by sale.created_at, sale.sort_id`
    : sql`order by sale.created_at desc, sale.sort_id desc`;
}

function edgeOfScan(sql: Sql, filter: OwnerSaleFilter): Fragment {
  const { merchantId, page, order } = filter;
  return sql`
    select created_at as at, v1_id as id, count(*) over () as count
    from (
      select created_at, v1_id
      from sales
      where merchant_id = ${merchantId} and created_at is not null
      ${indexedConditions(sql, filter)}
      ${pageClause(sql, { at: 'created_at', id: 'v1_id' }, { ...page, limit: LOOKED_AT - 1 }, order)}
    ) scanned
    ${order === 'ASC' ? sql`order by created_at desc, v1_id desc` : sql`order by created_at, v1_id`}
    limit 1`;
}

function reaches(sql: Sql, { order }: OwnerSaleFilter): Fragment {
  return order === 'ASC'
    ? sql`and (created_at, v1_id) <= (edge.at, edge.id)`
    : sql`and (created_at, v1_id) >= (edge.at, edge.id)`;
}

function indexedConditions(sql: Sql, { merchantId, locationId, created, days, isFlagged }: OwnerSaleFilter): Fragment {
  const ranges = days.map(
    ({ locationIds, ...range }) => sql`
      (sales.location_id = any (${locationIds as string[]}::text[]) ${within(sql, 'created_at', range, 'ASC')})`,
  );
  const anyDay = ranges.reduce<Fragment | undefined>((all, each) => (all ? sql`${all} or ${each}` : each), undefined);
  return sql`
    ${locationId === undefined ? sql`` : sql`and location_id = ${locationId}`}
    ${within(sql, 'created_at', created, 'ASC')}
    ${isFlagged ? sql`and sale_id in (select flagged.sale_id from register_flags flagged where flagged.merchant_id = ${merchantId} and flagged.is_open)` : sql``}
    ${anyDay ? sql`and (${anyDay})` : sql``}`;
}

/** `tender` is the alias of the payment. */
function isOfType(sql: Sql, type: TenderType): Fragment {
  return sql`${fn(sql, 'tender_type')}(tender.source_type, tender.card_brand) = ${type}`;
}

function otherConditions(sql: Sql, filter: OwnerSaleFilter): Fragment {
  const { merchantId, kind, state, employeeId, refunded, tenderType, cardBrand, search } = filter;
  const given = sql`tender.refunded + tender.returned + tender.exchanged > 0`;
  return sql`
    ${kind === undefined ? sql`` : sql`and kind = ${kind}`}
    ${state === undefined ? sql`` : sql`and state = ${state}`}
    ${employeeId === undefined ? sql`` : sql`and employee_id = ${employeeId}`}
    ${refunded === undefined ? sql`` : refunded ? sql`and ${hasTender(sql, merchantId, given)}` : sql`and not ${hasTender(sql, merchantId, given)}`}
    ${tenderType === undefined ? sql`` : sql`and ${hasTender(sql, merchantId, isOfType(sql, tenderType))}`}
    ${cardBrand === undefined ? sql`` : sql`and ${hasTender(sql, merchantId, sql`tender.card_brand = ${cardBrand}`)}`}
    ${search === undefined ? sql`` : sql`and sale_id in (${foundSales(sql, filter, search)})`}`;
}

/** Not `exists`, which the planner may turn into a join with all payments of the merchant. */
function hasTender(sql: Sql, merchantId: string, condition: Fragment): Fragment {
  return sql`
    coalesce((
      select bool_or(${condition})
      from payments tender
      where tender.merchant_id = ${merchantId} and tender.captured_at is not null
        and tender.payment_id = any (case sales.kind when 'API' then array[sales.sale_id] else sales.tender_ids end)
    ), false)`;
}

/** The ids of all sales that a text can mean. Each part uses an index; those of cards have no payments without an outcome. */
function foundSales(sql: Sql, { merchantId, receiptsSince }: OwnerSaleFilter, search: SaleSearch): Fragment {
  const { id, last4, receiptNumber, amount } = search;
  const isShownCard = sql`source_type = 'CARD' and status <> 'PENDING'`;
  return sql`
    select ${id}::text
    union all
    select sale_id from payments where merchant_id = ${merchantId} and payment_id = ${id}
    union all
    select refunded.sale_id
    from refunds
    join payments refunded on refunded.merchant_id = ${merchantId} and refunded.payment_id = refunds.payment_id
    where refunds.merchant_id = ${merchantId} and refunds.refund_id = ${id}
    union all
    select sale_id from orders where merchant_id = ${merchantId} and order_id = ${id}
    union all
    select sale_id from payments
    where merchant_id = ${merchantId} and status <> 'PENDING' and details ->> 'reference_id' = ${id}
    union all
    select sale_id from payments
    where merchant_id = ${merchantId} and status <> 'PENDING' and channel = 'API' and details ->> 'order_id' = ${id}
    ${
      last4 === undefined
        ? sql``
        : sql`union all
          select sale_id from payments
          where merchant_id = ${merchantId} and ${isShownCard} and last_4 = ${last4}
          union all
          select sale_id from payments where merchant_id = ${merchantId} and source_type <> 'CARD' and last_4 = ${last4}`
    }
    ${
      receiptNumber === undefined
        ? sql``
        : sql`union all
          select sale_id from payments
          where merchant_id = ${merchantId} and ${isShownCard} and created_at >= ${receiptsSince}
            and right(payment_id, 4) = ${receiptNumber}
          union all
          select sale_id from payments
          where merchant_id = ${merchantId} and source_type <> 'CARD' and right(payment_id, 4) = ${receiptNumber}`
    }
    ${
      amount === undefined
        ? sql``
        : sql`union all
          select sale_id from payments
          where merchant_id = ${merchantId} and ${isShownCard} and total = ${amount}
          union all
          select sale_id from payments where merchant_id = ${merchantId} and source_type <> 'CARD' and total = ${amount}
          union all
          select split.sale_id from sales split
          where split.merchant_id = ${merchantId} and cardinality(split.tender_ids) > 1 and split.due = ${amount}`
    }`;
}

/** The captured payments of `sale`, in the order in which they were taken. */
export function listTendersOfSale(sql: Sql, merchantId: string): Fragment {
  return sql`
    left join lateral (
      select
        coalesce(json_agg(json_build_object(
          'id', payment_id, 'sourceType', source_type, 'status', status,
          'createdAt', (extract(epoch from created_at) * 1000)::bigint,
          'capturedAt', (extract(epoch from captured_at) * 1000)::bigint,
          'amount', amount, 'tip', tip, 'total', total, 'fee', fee, 'refunded', refunded, 'returned', returned,
          'exchanged', exchanged, 'refundsBlocked', refunds_blocked, 'employeeId', employee_id, 'entryMethod', entry_method,
          'tendered', tendered, 'tenderName', tender_name, 'isExchange', is_exchange, 'cardBrand', card_brand, 'last4', last_4,
          'applicationId', application_id, 'note', details ->> 'note', 'referenceId', details ->> 'reference_id',
          'orderId', details ->> 'order_id', 'buyerEmail', details ->> 'buyer_email_address', 'appFee', app_fee,
          'returnedFees', returned_fees, 'returnedTip', returned_tip
        ) order by array_position(sale.tender_ids, payment_id)), '[]') as tenders
      from payments
      cross join lateral (
        select
          coalesce(sum(coalesce(refund.returned_fee, 0) + coalesce(refund.app_fee, 0)) filter (where refund.status = 'COMPLETED'), 0) as returned_fees,
          coalesce(-sum((refund.breakdown ->> 'tip')::bigint), 0) as returned_tip
        from refunds refund
        where refund.merchant_id = ${merchantId} and refund.payment_id = payments.payment_id
          and refund.status in ('PENDING', 'COMPLETED') and payments.refunded + payments.returned + payments.exchanged > 0
      ) back
      where merchant_id = ${merchantId} and payment_id = any (sale.tender_ids) and captured_at is not null
    ) paid on true`;
}
