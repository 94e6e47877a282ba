/** SQL statements that show one sale to the owner with all that happened to it, and what was sold by several sales. */
import type { Instant } from '../../base/time.js';
import type { Sql } from '../../database/database.js';
import { fromStoredReceipt, type StoredReceipt, type WithStoredBreakdown, withBreakdown } from '../receipts/stored.js';
import type { OwnerRefundRecord } from '../refunds/model.js';
import { payerFields } from '../refunds/sale-refund-queries.js';
import { selectV1Id } from '../sales/queries.js';
import type { OwnerSaleDetail, RefundOfItems, SoldItems } from './owner-model.js';
import { listTendersOfSale } from './owner-queries.js';

type DetailRow = Omit<OwnerSaleDetail, 'receipt' | 'refunds'> & {
  readonly receipt: StoredReceipt | null;
  readonly refunds: readonly WithStoredBreakdown<OwnerRefundRecord>[];
};

/** By the id of the sale, or of one of its tenders or refunds. Settlements that are not visible yet are left out. */
export async function findOwnerSale(
  sql: Sql,
  merchantId: string,
  { id, now }: { readonly id: string; readonly now: Instant },
): Promise<OwnerSaleDetail | undefined> {
  const [row] = await sql<DetailRow[]>`
    select
      sale.sale_id as id, sale.v1_id, sale.location_id, sale.kind, sale.state, sale.created_at, sale.employee_id, sale.device_id,
      sale.device_name, sale.receipt -> 'items' -> 0 ->> 'name' as first_item,
      coalesce(json_array_length(sale.receipt -> 'items'), 0) as item_count, paid.tenders, sale.rung_up_at, sale.receipt::text,
      (
        select order_id
        from orders
        where orders.merchant_id = ${merchantId} and orders.sale_id = sale.sale_id
      ) as order_id,
      (
        select
          coalesce(json_agg(json_build_object(
            'id', refund_id, 'paymentId', payment_id, 'locationId', location_id, 'status', status, 'sourceType', source_type,
            'createdAt', (extract(epoch from created_at) * 1000)::bigint,
            'updatedAt', (extract(epoch from updated_at) * 1000)::bigint,
            'currency', currency, 'amount', amount, 'appFee', app_fee, 'returnedFee', returned_fee, 'orderId', order_id,
            'reason', reason, 'origin', origin, 'type', type, 'leaderId', leader_id, 'breakdown', breakdown,
            'employeeId', employee_id, 'accountId', account_id, 'payer', (
              select ${payerFields(sql)}
              from payments payer
              where payer.merchant_id = ${merchantId} and payer.payment_id = refunds.returned_to
            )
          ) order by created_at, refund_id), '[]')
        from refunds
        where refunds.merchant_id = ${merchantId} and refunds.payment_id = any (sale.tender_ids)
      ) as refunds,
      (
        select
          coalesce(json_agg(json_build_object(
            'kind', kind, 'paymentId', payment_id, 'refundId', refund_id, 'amount', amount, 'fee', fee,
            'occurredAt', (extract(epoch from occurred_at) * 1000)::bigint,
            'settlementId', settlements.settlement_id,
            'settledAt', (extract(epoch from settlements.initiated_at) * 1000)::bigint
          ) order by occurred_at, movement_id), '[]')
        from movements
        left join settlements on settlements.merchant_id = ${merchantId}
          and settlements.settlement_id = movements.settlement_id and settlements.visible_at <= ${now}
        where movements.merchant_id = ${merchantId} and movements.payment_id = any (sale.tender_ids)
      ) as movements,
      (
        select
          coalesce(json_agg(json_build_object(
            'paymentId', payment_id, 'amount', amount, 'placedAt', (extract(epoch from placed_at) * 1000)::bigint,
            'releasedAt', (extract(epoch from released_at) * 1000)::bigint
          ) order by placed_at), '[]')
        from holds
        where holds.merchant_id = ${merchantId} and holds.payment_id = any (sale.tender_ids)
      ) as holds
    from (
      select
        sale_id, ${selectV1Id(sql, 'sales')} as v1_id, location_id, kind, state, created_at, employee_id, device_id, device_name, receipt, rung_up_at,
        case kind when 'API' then array[sale_id] else tender_ids end as tender_ids
      from sales
      where merchant_id = ${merchantId} and created_at is not null and sale_id = coalesce(
        (
          select named.sale_id
          from payments named
          where named.merchant_id = ${merchantId} and named.payment_id = ${id} and named.captured_at is not null
        ),
        (
          select refunded.sale_id
          from refunds
          join payments refunded on refunded.merchant_id = ${merchantId} and refunded.payment_id = refunds.payment_id
          where refunds.merchant_id = ${merchantId} and refunds.refund_id = ${id}
        ),
        ${id}
      )
    ) sale
    ${listTendersOfSale(sql, merchantId)}`;
  if (!row) return undefined;
  return { ...row, receipt: row.receipt && fromStoredReceipt(row.receipt), refunds: row.refunds.map(withBreakdown) };
}

type SoldRow = {
  readonly id: string;
  readonly receipt: StoredReceipt | null;
  readonly refunds: readonly WithStoredBreakdown<RefundOfItems>[];
};

/** What was sold by each sale, and what was refunded of it. */
export async function listSoldItems(
  sql: Sql,
  merchantId: string,
  saleIds: readonly string[],
): Promise<Map<string, SoldItems>> {
  const rows = await sql<SoldRow[]>`
    select
      sale_id as id, receipt::text,
      (
        select
          coalesce(json_agg(json_build_object(
            'paymentId', payment_id, 'amount', amount, 'status', status, 'breakdown', breakdown
          ) order by created_at, refund_id), '[]')
        from refunds
        where refunds.merchant_id = ${merchantId} and refunds.payment_id = any (sales.tender_ids)
      ) as refunds
    from sales
    where merchant_id = ${merchantId} and sale_id = any (${saleIds as string[]}::text[])`;
  return new Map(
    rows.map(({ id, receipt, refunds }) => [
      id,
      { receipt: receipt && fromStoredReceipt(receipt), refunds: refunds.map(withBreakdown) },
    ]),
  );
}
