/** SQL statements that read refunds with their sales, for v1. */
import type { Instant } from '../../base/time.js';
import type { Fragment, Sql } from '../../database/database.js';
import {
  type Page,
  type PageRequest,
  type Position,
  pageClause,
  type SortOrder,
  type TimeRange,
  toPage,
  within,
} from '../../database/keyset.js';
import { type WithStoredBreakdown, withBreakdown } from '../receipts/stored.js';
import { selectV1Id } from '../sales/queries.js';
import type { SaleRefund } from './model.js';

const columns = (sql: Sql): Fragment => sql`
  refund.refund_id as id, refund.payment_id, refund.location_id, refund.status, refund.source_type, refund.created_at,
  refund.updated_at, refund.currency, refund.amount, refund.app_fee, refund.returned_fee, refund.order_id, refund.reason,
  refund.origin, refund.type, refund.leader_id, refund.breakdown, refund.employee_id, refund.account_id,
  ${selectV1Id(sql, 'sale')} as v1_id, coalesce(payer.fee, payment.fee) as fee,
  coalesce(payer.total, payment.total) as total,
  case when refund.returned_to is not null then ${payerFields(sql)} end as payer`;

/** The fields of a `Payer`, of the payment `payer`. */
export const payerFields = (sql: Sql): Fragment => sql`
  json_build_object(
    'saleId', payer.sale_id, 'sourceType', payer.source_type, 'tenderName', payer.tender_name, 'cardBrand', payer.card_brand,
    'last4', payer.last_4
  )`;

const joinSale = (sql: Sql): Fragment => sql`
  join payments payment on payment.merchant_id = refund.merchant_id and payment.payment_id = refund.payment_id
  left join payments payer on payer.merchant_id = refund.merchant_id and payer.payment_id = refund.returned_to
  join sales sale on sale.merchant_id = payment.merchant_id and sale.sale_id = payment.sale_id`;

/** All records of a refund in any status: the leader, then its followers in the order in which the tenders were taken. */
export async function listRefundRecords(sql: Sql, merchantId: string, leaderId: string): Promise<SaleRefund[]> {
  const rows = await sql<WithStoredBreakdown<SaleRefund>[]>`
    select ${columns(sql)}
    from (
      select refund_id
      from refunds
      where merchant_id = ${merchantId} and leader_id = ${leaderId}
      union all
      select ${leaderId}
    ) record
    join refunds refund on refund.merchant_id = ${merchantId} and refund.refund_id = record.refund_id
    ${joinSale(sql)}
    order by refund.leader_id is not null, array_position(sale.tender_ids, refund.payment_id), refund.refund_id`;
  return rows.map(withBreakdown);
}

export interface SaleRefundFilter {
  readonly merchantId: string;
  /** Undefined: all locations. */
  readonly locationId: string | undefined;
  /** Also lists refunds of sales that are not COMPLETED, as listPayments does with their sales (decision 0055). */
  readonly includePartial: boolean;
  readonly created: TimeRange;
  readonly order: SortOrder;
  readonly page: PageRequest;
}

/** Refunds that have returned money, or will. */
const isEffective = (sql: Sql, status: string): Fragment => sql`${sql(status)} in ('PENDING', 'COMPLETED')`;

const ofCompletedSale = (sql: Sql, merchantId: string): Fragment => sql`
  exists (
    select
    from payments
    join sales using (merchant_id, sale_id)
    where payments.merchant_id = ${merchantId} and payments.payment_id = refunds.payment_id and sales.state = 'COMPLETED'
  )`;

/**
 * The limit of a page counts refunds, not records: the records of one refund are never split between two pages (contract 4.2
 * rule 3). A refund is listed if at least one of its records is effective.
 */
export async function listSaleRefunds(sql: Sql, filter: SaleRefundFilter): Promise<Page<SaleRefund>> {
  const { merchantId, locationId, includePartial, created, order, page } = filter;
  const direction = order === 'ASC' ? sql`asc` : sql`desc`;
  const rows = await sql<(WithStoredBreakdown<SaleRefund> & PagePlace)[]>`
    select ${columns(sql)}, leader.created_at as page_at, leader.refund_id as page_id
    from (
      select created_at, refund_id
      from refunds
      where merchant_id = ${merchantId} and leader_id is null
      ${locationId === undefined ? sql`` : sql`and location_id = ${locationId}`}
      and (${isEffective(sql, 'refunds.status')} or exists (
        select
        from refunds follower
        where follower.merchant_id = ${merchantId} and follower.leader_id = refunds.refund_id
          and ${isEffective(sql, 'follower.status')}
      ))
      ${includePartial ? sql`` : sql`and ${ofCompletedSale(sql, merchantId)}`}
      ${within(sql, 'created_at', created, order)}
      ${pageClause(sql, { at: 'created_at', id: 'refund_id' }, page, order)}
    ) leader
    cross join lateral (
      select refund_id as record_id
      from refunds
      where merchant_id = ${merchantId} and leader_id = leader.refund_id
      union all
      select leader.refund_id
    ) record
    join refunds refund on refund.merchant_id = ${merchantId} and refund.refund_id = record.record_id
    ${joinSale(sql)}
    where ${isEffective(sql, 'refund.status')}
    order by
      leader.created_at ${direction}, leader.refund_id ${direction}, refund.leader_id is not null,
      array_position(sale.tender_ids, refund.payment_id), refund.refund_id`;
  return toRefundPage(rows, page.limit);
}

/** The position of the refund to which a record belongs. */
interface PagePlace {
  readonly pageAt: Instant;
  readonly pageId: string;
}

/** The rows include one refund more than the page holds. It shows that there is a next page, and is removed. */
function toRefundPage(rows: readonly (WithStoredBreakdown<SaleRefund> & PagePlace)[], limit: number): Page<SaleRefund> {
  const refunds = new Map<string, Position>(rows.map(({ pageAt, pageId }) => [pageId, { at: pageAt, id: pageId }]));
  const { items, next } = toPage([...refunds.values()], limit, (position) => position);
  const shown = new Set(items.map(({ id }) => id));
  const records = rows.filter(({ pageId }) => shown.has(pageId));
  return { items: records.map(withBreakdown), next };
}
