/** Every SQL statement that reads refunds with their sales, as the first generation shows them. */
import type { Instant } from '../../base/time.js';
import type { Fragment, Sql } from '../../database/database.js';
import {
  type Order,
  type Page,
  type PageRequest,
  type Position,
  pageClause,
  type TimeRange,
  toPage,
  within,
} from '../../database/keyset.js';
import { type WithStoredBreakdown, withBreakdown } from '../receipts/stored.js';
import type { SaleRefund } from './model.js';

const columns = (sql: Sql): Fragment => sql`
  refund.refund_id as id, refund.payment_id, refund.location_id, refund.status, refund.source_type, refund.created_at,
  refund.updated_at, refund.currency, refund.amount, refund.app_fee, refund.returned_fee, refund.order_id, refund.reason,
  refund.origin, refund.type, refund.leader_id, refund.breakdown, refund.employee_id, sale.v1_id,
  payment.fee, payment.total`;

const itsSale = (sql: Sql): Fragment => sql`
  join payments payment on payment.merchant_id = refund.merchant_id and payment.payment_id = refund.payment_id
  join sales sale on sale.merchant_id = payment.merchant_id and sale.sale_id = payment.sale_id`;

/** All records of a refund, whatever became of them: the first, and those that it leads in the order of taking. */
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
    ${itsSale(sql)}
    order by refund.leader_id is not null, array_position(sale.tender_ids, refund.payment_id), refund.refund_id`;
  return rows.map(withBreakdown);
}

export interface SaleRefundFilter {
  readonly merchantId: string;
  /** Undefined for all of them. */
  readonly locationId: string | undefined;
  /** Whether those are listed, too, whose sale was not completed: listed with the sales that they are of (decision 0055). */
  readonly includePartial: boolean;
  readonly created: TimeRange;
  readonly order: Order;
  readonly page: PageRequest;
}

/** Those that gave something back, or will. */
const counts = (sql: Sql, status: string): Fragment => sql`${sql(status)} in ('PENDING', 'COMPLETED')`;

const ofCompletedSale = (sql: Sql, merchantId: string): Fragment => sql`
  exists (
    select
    from payments
    join sales using (merchant_id, sale_id)
    where payments.merchant_id = ${merchantId} and payments.payment_id = refunds.payment_id and sales.state = 'COMPLETED'
  )`;

/**
 * A page counts refunds, not records: one over several tenders stands together, in the order of taking, and is never cut in two
 * (contract 4.2 rule 3). It is there as long as one of its records counts.
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
      and (${counts(sql, 'refunds.status')} or exists (
        select
        from refunds follower
        where follower.merchant_id = ${merchantId} and follower.leader_id = refunds.refund_id
          and ${counts(sql, 'follower.status')}
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
    ${itsSale(sql)}
    where ${counts(sql, 'refund.status')}
    order by
      leader.created_at ${direction}, leader.refund_id ${direction}, refund.leader_id is not null,
      array_position(sale.tender_ids, refund.payment_id), refund.refund_id`;
  return toRefundPage(rows, page.limit);
}

/** Where the refund that a record belongs to stands in the list. */
interface PagePlace {
  readonly pageAt: Instant;
  readonly pageId: string;
}

/** One refund more than the page holds was read, with all its records: it only tells that there is a next page. */
function toRefundPage(rows: readonly (WithStoredBreakdown<SaleRefund> & PagePlace)[], limit: number): Page<SaleRefund> {
  const refunds = new Map<string, Position>(rows.map(({ pageAt, pageId }) => [pageId, { at: pageAt, id: pageId }]));
  const { items, next } = toPage([...refunds.values()], limit, (position) => position);
  const shown = new Set(items.map(({ id }) => id));
  const records = rows.filter(({ pageId }) => shown.has(pageId));
  return { items: records.map(withBreakdown), next };
}
