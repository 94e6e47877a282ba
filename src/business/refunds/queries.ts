/** SQL statements on refunds. sale-refund-queries.ts reads them with their sales, for v1. */
import type { Change } from '../../database/change.js';
import type { Bulk } from '../../database/copy.js';
import type { Sql } from '../../database/database.js';
import {
  type ChangeFilter,
  changeClause,
  changePosition,
  type Page,
  type PageRequest,
  toPage,
} from '../../database/keyset.js';
import { toStoredRefund } from '../payments/rows.js';
import { refunds } from '../payments/table.js';
import { type WithStoredBreakdown, withBreakdown } from '../receipts/stored.js';
import type { PrintableRefund, Refund, RefundStatus } from './model.js';

/** A refund with what v2 shows besides: when the payment was captured whose money goes back. */
export type ShownRefund = PrintableRefund & Pick<Refund, 'id'>;

/** `captured_at` is read only if it is shown: with a returned fee. */
const shownColumns = (sql: Sql, merchantId: string) => sql`
  refund_id as id, payment_id, returned_to, location_id, status, source_type, created_at, updated_at, currency, amount, app_fee, returned_fee,
  order_id, reason,
  case when returned_fee is not null then (
    select captured_at
    from payments
    where payments.merchant_id = ${merchantId}
      and payments.payment_id = coalesce(refunds.returned_to, refunds.payment_id)
  ) end as captured_at`;

/** v2 shows refunds of cards, without exchanges and reversals (decision 0025). */
const shownByV2 = (sql: Sql) => sql`source_type = 'CARD' and origin in ('API', 'REGISTER')`;

/** The same for a search by key: with plain conditions PostgreSQL could read an index of all such refunds of the merchant instead. */
const isShownByV2 = (sql: Sql) => sql`case when source_type = 'CARD' then origin in ('API', 'REGISTER') end`;

/** Finds only refunds that v2 shows. */
export async function findRefund(sql: Sql, merchantId: string, refundId: string): Promise<Refund | undefined> {
  const [row] = await sql<WithStoredBreakdown<Refund>[]>`
    select ${refunds.select(sql)}
    from refunds
    where merchant_id = ${merchantId} and refund_id = ${refundId} and ${isShownByV2(sql)}`;
  return row && withBreakdown(row);
}

/** A refund as v2 shows it. */
export async function findShownRefund(
  sql: Sql,
  merchantId: string,
  refundId: string,
): Promise<ShownRefund | undefined> {
  const [row] = await sql<ShownRefund[]>`
    select ${shownColumns(sql, merchantId)}
    from refunds
    where merchant_id = ${merchantId} and refund_id = ${refundId} and ${isShownByV2(sql)}`;
  return row;
}

/** Refunds with these ids, also those that v2 does not show otherwise. */
export async function listRefundsWithIds(sql: Sql, merchantId: string, ids: readonly string[]): Promise<ShownRefund[]> {
  return sql<ShownRefund[]>`
    select ${shownColumns(sql, merchantId)}
    from refunds
    where merchant_id = ${merchantId} and refund_id = any (${ids as string[]}::text[])
    order by created_at, refund_id`;
}

/** Finds a refund whose outcome is recorded. The change depends on it. */
export async function readRefund(change: Change, id: string): Promise<Refund | undefined> {
  const row = await change.read(refunds, { id });
  return row && withBreakdown(row);
}

/** The completed exchanges that paid a tender, in the order of their payments. The change depends on them. `leaderId` is the first of them. */
export async function readCompletedExchanges(change: Change, leaderId: string): Promise<Refund[]> {
  const { sql } = change;
  const rows = await change.readAll(
    refunds,
    sql`(refund_id = ${leaderId} or leader_id = ${leaderId}) and origin = 'EXCHANGE' and status = 'COMPLETED'
    order by payment_id`,
  );
  return rows.map(withBreakdown);
}

export interface RefundFilter extends ChangeFilter {
  readonly merchantId: string;
  readonly locationId?: string | undefined;
  readonly status?: RefundStatus | undefined;
  readonly page: PageRequest;
}

export async function listRefunds(sql: Sql, filter: RefundFilter): Promise<Page<ShownRefund>> {
  const { merchantId, locationId, status, page } = filter;
  const rows = await sql<ShownRefund[]>`
    select ${shownColumns(sql, merchantId)}
    from refunds
    where merchant_id = ${merchantId} and ${shownByV2(sql)}
    ${locationId === undefined ? sql`` : sql`and location_id = ${locationId}`}
    ${status === undefined ? sql`` : sql`and status = ${status}`}
    ${changeClause(sql, 'refund_id', filter, page)}`;
  return toPage(rows, page.limit, changePosition(filter));
}

/** Bulk insert of past refunds in their current state, without their movements. Their payments already include the amounts. */
export function insertPastRefunds(past: Bulk, merchantId: string, made: readonly Refund[]): void {
  refunds.copy(past, merchantId, made.map(toStoredRefund));
}
