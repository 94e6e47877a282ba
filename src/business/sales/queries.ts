/** Every SQL statement that reads sales together with their tenders and refunds. */
import type { Fragment, Sql } from '../../database/database.js';
import {
  type Order,
  type Page,
  type PageRequest,
  pageClause,
  type TimeRange,
  toPage,
  within,
} from '../../database/keyset.js';
import type { PaidSale } from './model.js';

export interface SaleFilter {
  readonly merchantId: string;
  /** Undefined for all of them. */
  readonly locationId: string | undefined;
  /** Whether those are listed, too, whose last tender was not taken. */
  readonly includePartial: boolean;
  readonly created: TimeRange;
  readonly order: Order;
  readonly page: PageRequest;
}

/** A page of sales, each with its tenders and refunds, which are found by their keys: one statement however many. */
export async function listPaidSales(sql: Sql, filter: SaleFilter): Promise<Page<PaidSale>> {
  const { merchantId, locationId, includePartial, created, order, page } = filter;
  const direction = order === 'ASC' ? sql`asc` : sql`desc`;
  const rows = await sql<PaidSale[]>`
    select ${columns(sql, merchantId)}
    from (
      select ${saleColumns(sql)}
      from sales
      where merchant_id = ${merchantId}
      ${locationId === undefined ? sql`` : sql`and location_id = ${locationId}`}
      ${includePartial ? sql`` : sql`and state = 'COMPLETED'`}
      ${within(sql, 'created_at', created, order)}
      ${pageClause(sql, { at: 'created_at', id: 'sale_id' }, page, order)}
    ) sale
    cross join lateral (${tendersOfSale(sql, merchantId)}) paid
    order by sale.created_at ${direction}, sale.sale_id ${direction}`;
  return toPage(rows, page.limit, ({ createdAt, id }) => ({ at: createdAt, id }));
}

/** A sale by its own id or by that of one of its tenders, which refunds and settlements name (spec 4.2 rule 6). */
export async function findPaidSale(
  sql: Sql,
  { merchantId, locationId, id }: Pick<SaleFilter, 'merchantId' | 'locationId'> & { readonly id: string },
): Promise<PaidSale | undefined> {
  const [row] = await sql<PaidSale[]>`
    select ${columns(sql, merchantId)}
    from (
      select ${saleColumns(sql)}
      from sales
      where merchant_id = ${merchantId} and created_at is not null
        and sale_id = coalesce(
          (
            select tender.sale_id
            from payments tender
            where tender.merchant_id = ${merchantId} and tender.payment_id = ${id} and tender.captured_at is not null
          ),
          ${id}
        )
      ${locationId === undefined ? sql`` : sql`and location_id = ${locationId}`}
    ) sale
    cross join lateral (${tendersOfSale(sql, merchantId)}) paid`;
  return row;
}

/** A sale of the API has one tender, which shares its id. */
const saleColumns = (sql: Sql): Fragment => sql`
  sale_id, location_id, state, created_at, device_id, device_name, receipt,
  coalesce(tender_ids, array[sale_id]) as tender_ids`;

/** Refunds are looked for only where a tender says that there are some. */
const columns = (sql: Sql, merchantId: string): Fragment => sql`
  sale.sale_id as id, sale.location_id, sale.state <> 'COMPLETED' as is_partial, sale.created_at, sale.device_id,
  sale.device_name, sale.receipt::text, coalesce(paid.tenders, '[]') as tenders,
  coalesce(case when paid.is_given_back then (${refundsOfSale(sql, merchantId)}) end, '[]') as refunds`;

function tendersOfSale(sql: Sql, merchantId: string): Fragment {
  return sql`
    select
      json_agg(json_build_object(
        'id', payment_id,
        'sourceType', source_type,
        'capturedAt', (extract(epoch from captured_at) * 1000)::bigint,
        'amount', amount,
        'tip', tip,
        'total', total,
        'fee', fee,
        'employeeId', employee_id,
        'entryMethod', entry_method,
        'tendered', tendered,
        'tenderName', tender_name,
        'isExchange', is_exchange,
        'cardBrand', card_brand,
        'last4', last_4,
        'note', details ->> 'note'
      ) order by array_position(sale.tender_ids, payment_id)) as tenders,
      bool_or(refunded + returned + exchanged > 0) as is_given_back
    from payments
    where merchant_id = ${merchantId} and payment_id = any (sale.tender_ids) and captured_at is not null`;
}

/** Those that count: one that failed or was rejected gave nothing back. */
function refundsOfSale(sql: Sql, merchantId: string): Fragment {
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
      ) order by created_at, refund_id)
    from refunds
    where merchant_id = ${merchantId} and payment_id = any (sale.tender_ids) and status in ('PENDING', 'COMPLETED')`;
}
