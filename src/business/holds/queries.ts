/** SQL statements on holds. */
import type { Change, Versioned } from '../../database/change.js';
import type { Sql } from '../../database/database.js';
import { type Page, type PageRequest, pageClause, toPage } from '../../database/keyset.js';
import type { Dispute, Hold, HoldState } from './model.js';
import { holds } from './table.js';

export async function findActiveHold(sql: Sql, merchantId: string, paymentId: string): Promise<Hold | undefined> {
  const [row] = await sql<Hold[]>`
    select ${holds.select(sql)}
    from holds
    where merchant_id = ${merchantId} and payment_id = ${paymentId} and released_at is null`;
  return row;
}

/** The change depends on it. */
export async function readActiveHold(change: Change, paymentId: string): Promise<(Hold & Versioned) | undefined> {
  const [hold] = await change.readAll(holds, change.sql`payment_id = ${paymentId} and released_at is null`);
  return hold;
}

export interface DisputeFilter {
  readonly merchantId: string;
  readonly state: HoldState | undefined;
  readonly page: PageRequest;
}

/** Newest first. */
export async function listDisputes(sql: Sql, { merchantId, state, page }: DisputeFilter): Promise<Page<Dispute>> {
  const rows = await sql<Dispute[]>`
    select
      hold_id as id, holds.payment_id, holds.amount, placed_at, released_at, sale_id, location_id, currency, card_brand,
      last_4
    from holds
    join payments on payments.merchant_id = ${merchantId} and payments.payment_id = holds.payment_id
    where holds.merchant_id = ${merchantId}
    ${state === undefined ? sql`` : state === 'HELD' ? sql`and released_at is null` : sql`and released_at is not null`}
    ${pageClause(sql, { at: 'placed_at', id: 'hold_id' }, page, 'DESC')}`;
  return toPage(rows, page.limit, (dispute) => ({ at: dispute.placedAt, id: dispute.id }));
}
