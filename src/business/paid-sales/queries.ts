/** SQL statements that read sales together with their tenders and refunds. */
import type { Fragment, Sql } from '../../database/database.js';
import {
  type Page,
  type PageRequest,
  pageClause,
  type SortOrder,
  type TimeRange,
  toPage,
  within,
} from '../../database/keyset.js';
import { andLocationIs } from '../../database/location-filter.js';
import { NAMED_PRINTER, RECEIPT_PRINTER } from '../receipts/copies.js';
import { fromStoredReceipt, type StoredReceipt, type WithStoredBreakdown, withBreakdown } from '../receipts/stored.js';
import { findSaleId, selectV1Id } from '../sales/queries.js';
import type { PaidSale, Tender, TenderRefund } from './model.js';

export interface SaleFilter {
  readonly merchantId: string;
  /** Undefined: all locations. */
  readonly locationId: string | undefined;
  /** Also lists sales that are open or canceled. */
  readonly includePartial: boolean;
  readonly created: TimeRange;
  /** The order that decides which end of the time range is inclusive (decision 0007). Default: `order`. */
  readonly bounds?: SortOrder;
  readonly order: SortOrder;
  readonly page: PageRequest;
}

/** Reads a page of sales with their tenders and refunds in one statement. */
export async function listPaidSales(sql: Sql, filter: SaleFilter): Promise<Page<PaidSale>> {
  const { merchantId, page } = filter;
  const rows = await sql<SaleRow[]>`
    select ${columns(sql, merchantId)}
    from (
      select ${saleColumns(sql)}
      from sales
      where merchant_id = ${merchantId} ${pageOfSales(sql, filter)}
    ) sale
    left join lateral (${tendersOfSale(sql, merchantId)}) tender on true
    order by ${orderOfSales(sql, filter)}`;
  const { items, next } = toPage(groupBySale(rows), page.limit, (ofSale) => {
    const { createdAt, sortId } = firstOf(ofSale);
    return { at: createdAt, id: sortId };
  });
  return { items: items.map(toPaidSale), next };
}

/** The conditions, order and limit of a page of sales of a merchant. */
export const pageOfSales = (sql: Sql, filter: SaleFilter): Fragment => {
  const { locationId, includePartial, created, order, bounds = order, page } = filter;
  return sql`
    ${locationId === undefined ? sql`` : sql`and location_id = ${locationId}`}
    ${includePartial ? sql`` : sql`and state = 'COMPLETED'`}
    ${within(sql, 'created_at', created, bounds)}
    ${pageClause(sql, { at: 'created_at', id: 'v1_id' }, page, order)}`;
};

export const orderOfSales = (sql: Sql, { order }: Pick<SaleFilter, 'order'>): Fragment => {
  const direction = order === 'ASC' ? sql`asc` : sql`desc`;
  return sql`sale.created_at ${direction}, sale.sort_id ${direction}`;
};

/** A sale with the versions of its rows. */
export interface StampedSale extends Stamped {
  readonly sale: PaidSale;
}

interface Stamped {
  readonly saleId: string;
  readonly stamp: string;
}

/** The versions of the rows of `sale`: its own, and those of its payments. */
export const stampOfSale = (sql: Sql, merchantId: string): Fragment => sql`(
  select sale.version || coalesce(string_agg(' ' || xmin::text, '' order by payment_id), '')
  from payments
  where merchant_id = ${merchantId} and payment_id = any (sale.tender_ids)
)`;

export async function findStampedSales(
  sql: Sql,
  merchantId: string,
  saleIds: readonly string[],
): Promise<StampedSale[]> {
  const rows = await sql<(SaleRow & Stamped)[]>`
    select ${columns(sql, merchantId)}, sale.sale_id,
      case when coalesce(tender.place, 1) = 1 then ${stampOfSale(sql, merchantId)} end as stamp
    from (
      select ${saleColumns(sql)}, sale_id, xmin::text as version
      from sales
      where merchant_id = ${merchantId} and sale_id = any (${saleIds as string[]}::text[])
    ) sale
    left join lateral (${tendersOfSale(sql, merchantId)}) tender on true
    order by sale.sale_id`;
  return groupBySale(rows).map((ofSale) => {
    const sale = toPaidSale(ofSale);
    const { saleId, stamp } = firstOf(ofSale);
    return { sale, saleId, stamp };
  });
}

/** A sale by its own id or by the id of one of its tenders, as in refunds and settlements (contract 4.2 rule 6). */
export async function findPaidSale(
  sql: Sql,
  { merchantId, locationId, id }: Pick<SaleFilter, 'merchantId' | 'locationId'> & { readonly id: string },
): Promise<PaidSale | undefined> {
  const rows = await sql<SaleRow[]>`
    select ${columns(sql, merchantId)}
    from (
      select ${saleColumns(sql)}
      from sales
      where merchant_id = ${merchantId} and created_at is not null
        and sale_id = ${findSaleId(sql, merchantId, id)}
      ${andLocationIs(sql, locationId)}
    ) sale
    left join lateral (${tendersOfSale(sql, merchantId)}) tender on true`;
  return groupBySale(rows).map(toPaidSale)[0];
}

/**
 * One row for each tender, with the columns of its sale: this is the cheapest form for the database. A free sale has one
 * row without a tender. Only the row of the first tender has the receipt, because receipts can be long.
 */
interface SaleRow extends Tender, Omit<PaidSale, 'id' | 'receipt' | 'tenders' | 'refunds'> {
  /** The id of the sale in v1. */
  readonly v1Id: string;
  /** Orders the sales of one time. */
  readonly sortId: string;
  /** The position of the tender in its sale, from 1. Null without a tender. */
  readonly place: number | null;
  readonly receipt: StoredReceipt | null;
  readonly refunds: readonly WithStoredBreakdown<TenderRefund>[] | null;
}

/** A sale of the API has one tender with the same id. */
const saleColumns = (sql: Sql): Fragment => sql`
  v1_id as sort_id, ${selectV1Id(sql, 'sales')} as payment_id, location_id, kind, state, created_at, device_id, device_name, receipt, v1_receipt,
  v1_receipt_version = ${NAMED_PRINTER} and v1_receipt_printer = ${RECEIPT_PRINTER} as has_v1_receipt,
  case kind when 'API' then array[sale_id] else tender_ids end as tender_ids`;

/** Reads refunds only for tenders with refunded or exchanged amounts. */
const columns = (sql: Sql, merchantId: string): Fragment => sql`
  sale.sort_id, sale.payment_id as v1_id, sale.location_id, sale.kind, sale.state <> 'COMPLETED' as is_partial, sale.created_at, sale.device_id,
  sale.device_name,
  case when coalesce(tender.place, 1) = 1 and sale.has_v1_receipt then sale.v1_receipt end as v1_receipt,
  case when coalesce(tender.place, 1) = 1 and sale.has_v1_receipt is not true then sale.receipt::text end as receipt,
  tender.place,
  tender.payment_id as id, tender.source_type, tender.captured_at, tender.amount, tender.tip, tender.total,
  tender.fee, tender.employee_id, tender.entry_method, tender.tendered, tender.tender_name, tender.is_exchange,
  tender.card_brand, tender.last_4, tender.note,
  case when tender.is_given_back then (${refundsOfTender(sql, merchantId)}) end as refunds`;

function tendersOfSale(sql: Sql, merchantId: string): Fragment {
  return sql`
    select
      array_position(sale.tender_ids, payment_id) as place, payment_id, source_type, captured_at, amount, tip, total, fee,
      employee_id, entry_method, tendered, tender_name, is_exchange, card_brand, last_4, details ->> 'note' as note,
      refunded + returned + exchanged > 0 as is_given_back
    from payments
    where merchant_id = ${merchantId} and payment_id = any (sale.tender_ids) and captured_at is not null`;
}

/** Without failed and rejected refunds, which returned no money. */
function refundsOfTender(sql: Sql, merchantId: string): Fragment {
  return sql`
    select
      json_agg(json_build_object(
        'id', refund_id,
        'paymentId', payment_id,
        'locationId', location_id,
        'status', status,
        'sourceType', source_type,
        'createdAt', (extract(epoch from created_at) * 1000)::bigint,
        'updatedAt', (extract(epoch from updated_at) * 1000)::bigint,
        'currency', currency,
        'amount', amount,
        'appFee', app_fee,
        'returnedFee', returned_fee,
        'orderId', order_id,
        'reason', reason,
        'type', type,
        'origin', origin,
        'breakdown', breakdown
      ))
    from refunds
    where merchant_id = ${merchantId} and payment_id = tender.payment_id and status in ('PENDING', 'COMPLETED')`;
}

/** The rows of each sale, in the order of its tenders. The rows of one sale are adjacent. */
function groupBySale<Row extends SaleRow>(rows: readonly Row[]): Row[][] {
  const groups: Row[][] = [];
  for (let start = 0; start < rows.length; ) {
    let end = start + 1;
    while (rows[end]?.v1Id === rows[start]?.v1Id) end++;
    groups.push(rows.slice(start, end).sort((one, other) => (one.place ?? 0) - (other.place ?? 0)));
    start = end;
  }
  return groups;
}

function firstOf<Row>([row]: readonly Row[]): Row {
  if (!row) throw new Error('a sale must have a row');
  return row;
}

function toPaidSale(rows: readonly SaleRow[]): PaidSale {
  const first = firstOf(rows);
  const { v1Id, locationId, kind, isPartial, createdAt, deviceId, deviceName, v1Receipt, place } = first;
  const receipt = first.receipt && fromStoredReceipt(first.receipt);
  const refunds = rows
    .flatMap((row) => row.refunds ?? [])
    .map(withBreakdown)
    .sort(byTime);
  const tenders = place === null ? [] : rows;
  return {
    id: v1Id,
    locationId,
    kind,
    isPartial,
    createdAt,
    deviceId,
    deviceName,
    receipt,
    v1Receipt,
    tenders,
    refunds,
  };
}

function byTime(one: TenderRefund, other: TenderRefund): number {
  return one.createdAt - other.createdAt || (one.id < other.id ? -1 : 1);
}
