/** SQL statements on online orders. */
import type { Instant } from '../../base/time.js';
import type { Bulk } from '../../database/copy.js';
import { type Fragment, type Sql, type Tx, toTimestamp } from '../../database/database.js';
import { type Page, type PageRequest, pageClause, type SortOrder, toPage } from '../../database/keyset.js';
import { andLocationIs } from '../../database/location-filter.js';
import { SubjectBusy } from '../due-work/model.js';
import { deleteDueWork, insertDueWork, insertScheduledWork } from '../due-work/queries.js';
import type { ReceiptRecord } from '../receipts/record.js';
import { insertOnlineSale } from '../sales/queries.js';
import {
  HISTORY_OF,
  type HistoryEntry,
  type Notes,
  type Order,
  type OrderAction,
  type OrderState,
  type OrderWithTender,
} from './model.js';

/** Columns with the names of the model, so that a row is an `Order`. */
const columns = (sql: Sql): Fragment => sql`
  order_id as id, location_id, state, created_at, updated_at, expires_at, sale_id, currency, subtotal, shipping, tax,
  discount, total, buyer_email, recipient_name, recipient_phone_number, shipping_address::text, buyer_note, promo_code,
  completed_note, canceled_note, refunded_note, history`;

/** The columns of an order and its payment, if there is one. */
const columnsWithTender = (sql: Sql, merchantId: string): Fragment => sql`
  ${columns(sql)},
  (
    select json_build_object(
      'id', p.payment_id, 'status', p.status, 'total', p.total, 'refundedOrExchanged', p.refunded + p.exchanged, 'cardBrand', p.card_brand,
      'last4', p.last_4, 'capturedAt', (extract(epoch from p.captured_at) * 1000)::bigint, 'errors', p.errors
    )
    from payments p
    where p.merchant_id = ${merchantId} and p.sale_id = orders.sale_id and p.channel = 'ONLINE_STORE'
  ) as tender`;

const expireOrderWork = (orderId: string) => ({ kind: 'EXPIRE_ORDER', subjectId: orderId }) as const;

export interface PlacedOrder {
  readonly order: Order;
  readonly tokenHash: Buffer;
  /** The id that the store's page chose. */
  readonly clientId: string;
  readonly requestHash: Buffer;
  readonly receipt: ReceiptRecord;
}

export type PastOrder = Omit<PlacedOrder, 'receipt'> & { readonly trackingNumber: string | null };

/** Inserts an order with its open sale and the due work that expires it. Returns false if the client id is taken. */
export async function insertOrder(
  tx: Tx,
  merchantId: string,
  { order, tokenHash, clientId, requestHash, receipt }: PlacedOrder,
): Promise<boolean> {
  const sale = {
    id: order.saleId,
    locationId: order.locationId,
    rungUpAt: order.createdAt,
    due: order.total,
    receipt,
  };
  const work = { merchantId, ...expireOrderWork(order.id), dueAt: order.expiresAt };
  const rows = await tx`
    with placed as (
      insert into orders (
        merchant_id, order_id, location_id, state, created_at, updated_at, expires_at, token_hash, client_id,
        request_hash, sale_id, currency, subtotal, shipping, tax, discount, total, buyer_email, recipient_name,
        recipient_phone_number, shipping_address, buyer_note, promo_code, history
      )
      values (
        ${merchantId}, ${order.id}, ${order.locationId}, ${order.state}, ${order.createdAt}, ${order.updatedAt},
        ${order.expiresAt}, ${tokenHash}, ${clientId}, ${requestHash}, ${order.saleId}, ${order.currency},
        ${order.subtotal}, ${order.shipping}, ${order.tax}, ${order.discount}, ${order.total}, ${order.buyerEmail},
        ${order.recipientName}, ${order.recipientPhoneNumber}, ${order.shippingAddress}::text::json, ${order.buyerNote},
        ${order.promoCode}, ${JSON.stringify(order.history)}::text::jsonb
      )
      on conflict (merchant_id, location_id, client_id) do nothing
      returning merchant_id, order_id
    ),
    sale as (${insertOnlineSale(tx, merchantId, sale, 'placed')}),
    due as (${insertDueWork(tx, [work], { cte: 'placed', subject: 'order_id' })})
    select from placed`;
  return rows.length > 0;
}

/** Bulk insert of past orders in their current state. Their sales and payments exist already. PENDING orders can still expire. */
export function insertPastOrders(past: Bulk, merchantId: string, placed: readonly PastOrder[]): void {
  past.copy(
    'orders',
    (tx) => tx`
      copy orders (
        merchant_id, order_id, location_id, state, created_at, updated_at, expires_at, token_hash, client_id,
        request_hash, sale_id, currency, subtotal, shipping, tax, discount, total, buyer_email, recipient_name,
        recipient_phone_number, shipping_address, buyer_note, promo_code, tracking_number, completed_note,
        canceled_note, refunded_note, history
      )
      from stdin`,
    placed,
    ({ order, tokenHash, clientId, requestHash, trackingNumber }) => [
      merchantId,
      order.id,
      order.locationId,
      order.state,
      toTimestamp(order.createdAt),
      toTimestamp(order.updatedAt),
      toTimestamp(order.expiresAt),
      tokenHash,
      clientId,
      requestHash,
      order.saleId,
      order.currency,
      order.subtotal,
      order.shipping,
      order.tax,
      order.discount,
      order.total,
      order.buyerEmail,
      order.recipientName,
      order.recipientPhoneNumber,
      order.shippingAddress,
      order.buyerNote,
      order.promoCode,
      trackingNumber,
      order.completedNote,
      order.canceledNote,
      order.refundedNote,
      JSON.stringify(order.history),
    ],
  );
  const works = placed
    .filter(({ order: { state } }) => state === 'PENDING')
    .map(({ order: { id, expiresAt } }) => ({ ...expireOrderWork(id), dueAt: expiresAt }));
  if (works.length > 0) past.afterwards((tx) => insertScheduledWork(tx, merchantId, works));
}

/** The order that a page has already placed with this client id, with the hash of that request. */
export async function findPlacedOrder(
  sql: Sql,
  merchantId: string,
  { locationId, clientId }: { readonly locationId: string; readonly clientId: string },
): Promise<(OrderWithTender & { readonly requestHash: Buffer }) | undefined> {
  const [row] = await sql<(OrderWithTender & { requestHash: Buffer })[]>`
    select ${columnsWithTender(sql, merchantId)}, request_hash
    from orders
    where merchant_id = ${merchantId} and location_id = ${locationId} and client_id = ${clientId}`;
  return row;
}

interface OrderKey {
  readonly merchantId: string;
  readonly locationId: string;
}

export async function findOrder(
  sql: Sql,
  { merchantId, locationId }: OrderKey,
  orderId: string,
): Promise<OrderWithTender | undefined> {
  const [row] = await sql<OrderWithTender[]>`
    select ${columnsWithTender(sql, merchantId)}
    from orders
    where merchant_id = ${merchantId} and order_id = ${orderId} ${andLocationIs(sql, locationId)}`;
  return row;
}

export async function findOrderByToken(
  sql: Sql,
  { merchantId, locationId }: OrderKey,
  tokenHash: Buffer,
): Promise<OrderWithTender | undefined> {
  const [row] = await sql<OrderWithTender[]>`
    select ${columnsWithTender(sql, merchantId)}
    from orders
    where merchant_id = ${merchantId} and token_hash = ${tokenHash} ${andLocationIs(sql, locationId)}`;
  return row;
}

export async function listOrders(
  sql: Sql,
  { merchantId, locationId, direction, page }: OrderKey & { readonly direction: SortOrder; readonly page: PageRequest },
): Promise<Page<OrderWithTender>> {
  const rows = await sql<OrderWithTender[]>`
    select ${columnsWithTender(sql, merchantId)}
    from orders
    where merchant_id = ${merchantId} and location_id = ${locationId}
    ${pageClause(sql, { at: 'created_at', id: 'order_id' }, page, direction)}`;
  return toPage(rows, page.limit, ({ createdAt, id }) => ({ at: createdAt, id }));
}

/** Locks an order while it changes. */
export async function lockOrder(
  tx: Tx,
  { merchantId, locationId }: OrderKey,
  orderId: string,
): Promise<Order | undefined> {
  const [row] = await tx<Order[]>`
    select ${columns(tx)}
    from orders
    where merchant_id = ${merchantId} and order_id = ${orderId} ${andLocationIs(tx, locationId)}
    for update`;
  return row;
}

/** Locks the order of a sale. */
export async function lockOrderOfSale(tx: Tx, merchantId: string, saleId: string): Promise<Order | undefined> {
  const [row] = await tx<Order[]>`
    select ${columns(tx)}
    from orders
    where merchant_id = ${merchantId} and sale_id = ${saleId}
    for update`;
  return row;
}

/** Does not wait, to avoid a deadlock: the transaction that holds the order may be deleting the caller's due work. */
export async function lockPendingOrder(tx: Tx, merchantId: string, orderId: string): Promise<Order | undefined> {
  const [row] = await tx<Order[]>`
    select ${columns(tx)}
    from orders
    where merchant_id = ${merchantId} and order_id = ${orderId} and state = 'PENDING'
    for update skip locked`;
  if (!row && (await hasPendingOrder(tx, merchantId, orderId))) throw new SubjectBusy('the order is locked');
  return row;
}

async function hasPendingOrder(sql: Sql, merchantId: string, orderId: string): Promise<boolean> {
  const rows = await sql`
    select
    from orders
    where merchant_id = ${merchantId} and order_id = ${orderId} and state = 'PENDING'`;
  return rows.length > 0;
}

export interface OrderMove {
  readonly orderId: string;
  readonly from: OrderState;
  readonly to: OrderState;
  readonly action: OrderAction;
  /** In whole seconds. */
  readonly at: Instant;
  readonly notes?: Notes;
}

/** `from` -> `to`, without the due work that would expire the order. Returns false if the order is in another state. */
export async function moveOrder(
  tx: Tx,
  merchantId: string,
  { orderId, from, to, action, at, notes = {} }: OrderMove,
): Promise<boolean> {
  const entry: HistoryEntry = { action: HISTORY_OF[action], createdAt: at };
  const rows = await tx`
    with moved as (
      update orders
      set
        state = ${to},
        updated_at = ${at},
        history = history || ${JSON.stringify(entry)}::text::jsonb,
        tracking_number = coalesce(${notes.trackingNumber ?? null}, tracking_number),
        completed_note = coalesce(${notes.completedNote ?? null}, completed_note),
        canceled_note = coalesce(${notes.canceledNote ?? null}, canceled_note),
        refunded_note = coalesce(${notes.refundedNote ?? null}, refunded_note)
      where merchant_id = ${merchantId} and order_id = ${orderId} and state = ${from}
      returning merchant_id, order_id
    ),
    due as (${deleteDueWork(tx, merchantId, expireOrderWork(orderId))} and exists (select from moved))
    select from moved`;
  return rows.length > 0;
}
