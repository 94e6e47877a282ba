/** SQL statements on online orders. */
import type { Instant } from '../../base/time.js';
import { Columns, type Definitions } from '../../database/columns.js';
import type { Bulk } from '../../database/copy.js';
import type { Fragment, Sql, Tx } from '../../database/database.js';
import { fn } from '../../database/functions.js';
import { type Page, type PageRequest, pageClause, type SortOrder, toPage } from '../../database/keyset.js';
import { andLocationIs } from '../../database/location-filter.js';
import { SubjectBusy } from '../due-work/model.js';
import { insertScheduledWork, toWorkRow } from '../due-work/queries.js';
import type { ReceiptRecord } from '../receipts/record.js';
import { toNewOnlineSale } from '../sales/model.js';
import { toSaleRow } from '../sales/queries.js';
import {
  HISTORY_OF,
  type HistoryEntry,
  type Notes,
  type Order,
  type OrderAction,
  type OrderState,
  type OrderWithTender,
} from './model.js';

const ORDER: Definitions<Order> = {
  id: { column: 'order_id', as: 'value' },
  locationId: 'value',
  state: 'value',
  createdAt: 'time',
  updatedAt: 'time',
  expiresAt: 'time',
  saleId: 'value',
  currency: 'value',
  subtotal: 'value',
  shipping: 'value',
  tax: 'value',
  discount: 'value',
  total: 'value',
  buyerEmail: 'value',
  recipientName: 'value',
  recipientPhoneNumber: 'value',
  shippingAddress: 'json text',
  buyerNote: 'value',
  promoCode: 'value',
  completedNote: 'value',
  canceledNote: 'value',
  refundedNote: 'value',
  history: 'json',
};

const ORDER_COLUMNS = new Columns<Order>(ORDER);

/** The parts of an order that no response shows. */
interface HiddenParts {
  readonly tokenHash: Buffer;
  /** The id that the store's page chose. */
  readonly clientId: string;
  readonly requestHash: Buffer;
  readonly trackingNumber: string | null;
}

const STORED_COLUMNS = new Columns<Order & HiddenParts>({
  ...ORDER,
  tokenHash: 'bytes',
  clientId: 'value',
  requestHash: 'bytes',
  trackingNumber: 'value',
});

/** The columns of an order and its payment, if there is one. */
const columnsWithTender = (sql: Sql, merchantId: string): Fragment => sql`
  ${ORDER_COLUMNS.select(sql)},
  (
    select json_build_object(
      'id', p.payment_id, 'status', p.status, 'total', p.total, 'refundedOrExchanged', p.refunded + p.exchanged, 'cardBrand', p.card_brand,
      'last4', p.last_4, 'capturedAt', (extract(epoch from p.captured_at) * 1000)::bigint, 'errors', p.errors
    )
    from payments p
    where p.merchant_id = ${merchantId} and p.sale_id = orders.sale_id and p.channel = 'ONLINE_STORE'
  ) as tender`;

const expireOrderWork = (orderId: string) => ({ kind: 'EXPIRE_ORDER', subjectId: orderId }) as const;

export interface PlacedOrder extends Omit<HiddenParts, 'trackingNumber'> {
  readonly order: Order;
  readonly receipt: ReceiptRecord;
}

export interface PastOrder extends HiddenParts {
  readonly order: Order;
}

/** Inserts an order with its open sale and the due work that expires it. Returns false if the client id is taken. */
export async function insertOrder(
  tx: Tx,
  merchantId: string,
  { order, receipt, ...hidden }: PlacedOrder,
): Promise<boolean> {
  const sale = toSaleRow({ ...toNewOnlineSale(order), receipt });
  const work = toWorkRow({ ...expireOrderWork(order.id), dueAt: order.expiresAt });
  const [row] = await tx<{ isNew: boolean }[]>`
    select ${fn(tx, 'place_order')}(
      ${merchantId}, ${STORED_COLUMNS.toRow({ ...order, ...hidden })}::text::json, ${sale}::text::json, ${work}::text::json
    ) as is_new`;
  return row?.isNew ?? false;
}

/** Bulk insert of past orders in their current state. Their sales and payments exist already. PENDING orders can still expire. */
export function insertPastOrders(past: Bulk, merchantId: string, placed: readonly PastOrder[]): void {
  past.copy(
    'orders',
    (tx) => tx`copy orders (merchant_id, ${STORED_COLUMNS.names(tx)}) from stdin`,
    placed,
    ({ order, ...hidden }) => [merchantId, ...STORED_COLUMNS.toCells({ ...order, ...hidden })],
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
    select ${ORDER_COLUMNS.select(tx)}
    from orders
    where merchant_id = ${merchantId} and order_id = ${orderId} ${andLocationIs(tx, locationId)}
    for update`;
  return row;
}

/** Locks the order of a sale. */
export async function lockOrderOfSale(tx: Tx, merchantId: string, saleId: string): Promise<Order | undefined> {
  const [row] = await tx<Order[]>`
    select ${ORDER_COLUMNS.select(tx)}
    from orders
    where merchant_id = ${merchantId} and sale_id = ${saleId}
    for update`;
  return row;
}

/** Does not wait, to avoid a deadlock: the transaction that holds the order may be deleting the caller's due work. */
export async function lockPendingOrder(tx: Tx, merchantId: string, orderId: string): Promise<Order | undefined> {
  const [row] = await tx<Order[]>`
    select ${ORDER_COLUMNS.select(tx)}
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
  const [row] = await tx<{ hasMoved: boolean }[]>`
    select ${fn(tx, 'move_order')}(
      ${merchantId}, ${orderId}, ${from}, ${to}, ${at}, ${JSON.stringify(entry)}::text::jsonb,
      ${STORED_COLUMNS.toRow(notes)}::text::json
    ) as has_moved`;
  return row?.hasMoved ?? false;
}
