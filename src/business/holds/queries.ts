/** SQL statements on holds. */
import type { Instant } from '../../base/time.js';
import { type Change, json } from '../../database/change.js';
import { type Sql, type Tx, toTimestamp } from '../../database/database.js';
import { fn } from '../../database/functions.js';
import { type Page, type PageRequest, pageClause, toPage } from '../../database/keyset.js';
import type { PaymentMovement } from '../movements/model.js';
import { MOVEMENT_COLUMNS } from '../movements/queries.js';
import type { Dispute, Hold, HoldState } from './model.js';

export async function findActiveHold(sql: Sql, merchantId: string, paymentId: string): Promise<Hold | undefined> {
  const [row] = await sql<Hold[]>`
    select hold_id as id, payment_id, amount, placed_at, released_at
    from holds
    where merchant_id = ${merchantId} and payment_id = ${paymentId} and released_at is null`;
  return row;
}

export async function findHold(sql: Sql, merchantId: string, holdId: string): Promise<Hold | undefined> {
  const [row] = await sql<Hold[]>`
    select hold_id as id, payment_id, amount, placed_at, released_at
    from holds
    where merchant_id = ${merchantId} and hold_id = ${holdId}`;
  return row;
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

/** Inserts a hold of a payment on which the change depends, with the movement that keeps the money back. */
export function insertHold(change: Change, { id, paymentId, amount, placedAt }: Hold, movement: PaymentMovement): void {
  const hold = JSON.stringify({ hold_id: id, payment_id: paymentId, amount, placed_at: toTimestamp(placedAt) });
  change.call('place_hold', { hold: json(hold), movement: json(MOVEMENT_COLUMNS.toRow(movement)) });
}

/** Raises an active hold to its new amount, with the movement that keeps the difference back. */
export function updateHoldToRaised(
  change: Change,
  { id, amount }: Pick<Hold, 'id' | 'amount'>,
  movement: PaymentMovement,
): void {
  change.call('raise_hold', { hold_id: id, amount, movement: json(MOVEMENT_COLUMNS.toRow(movement)) });
}

/** Active -> released, with the movement that returns the money. Returns false if the hold is already released. */
export async function moveHoldToReleased(
  tx: Tx,
  merchantId: string,
  { holdId, at, movement }: { readonly holdId: string; readonly at: Instant; readonly movement: PaymentMovement },
): Promise<boolean> {
  const [row] = await tx<{ isReleased: boolean }[]>`
    select ${fn(tx, 'release_hold')}(
      ${merchantId}, ${holdId}, ${at}, ${MOVEMENT_COLUMNS.toRow(movement)}::text::json
    ) as is_released`;
  return row?.isReleased ?? false;
}
