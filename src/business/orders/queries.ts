/** SQL statements on online orders. */
import type { Change, Versioned } from '../../database/change.js';
import { Columns } from '../../database/columns.js';
import type { Bulk } from '../../database/copy.js';
import type { Fragment, Sql } from '../../database/database.js';
import { type Page, type PageRequest, pageClause, type SortOrder, toPage } from '../../database/keyset.js';
import { andLocationIs } from '../../database/location-filter.js';
import { insertScheduledWork } from '../due-work/queries.js';
import type { Receipt } from '../receipts/model.js';
import { fromStoredReceipt, type StoredReceipt } from '../receipts/stored.js';
import type { Order, OrderDelivery, OrderState, OrderWithTender, ShopperOrder } from './model.js';
import { ORDER, orders, type StoredOrder } from './table.js';

const ORDER_COLUMNS = new Columns<Order>(ORDER);

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

const receiptColumn = (sql: Sql, merchantId: string): Fragment => sql`
  (
    select s.receipt::text
    from sales s
    where s.merchant_id = ${merchantId} and s.sale_id = orders.sale_id
  ) as receipt`;

/** The columns of an order that its shopper sees. */
const shopperColumns = (sql: Sql, merchantId: string): Fragment => sql`
  ${columnsWithTender(sql, merchantId)}, tracking_number, ${receiptColumn(sql, merchantId)}`;

type WithStoredReceipt<Shown> = Omit<Shown, 'receipt'> & { readonly receipt: StoredReceipt };

/** The work that expires an unpaid order. */
export const expireOrderWork = (orderId: string) => ({ kind: 'EXPIRE_ORDER', subjectId: orderId }) as const;

export interface PastOrder extends Omit<StoredOrder, keyof Order> {
  readonly order: Order;
}

/** Bulk insert of past orders in their current state. Their sales and payments exist already. PENDING orders can still expire. */
export function insertPastOrders(past: Bulk, merchantId: string, placed: readonly PastOrder[]): void {
  const rows = placed.map(({ order, ...hidden }) => ({ ...order, ...hidden }));
  orders.copy(past, merchantId, rows);
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
): Promise<(ShopperOrder & { readonly requestHash: Buffer }) | undefined> {
  const [row] = await sql<(WithStoredReceipt<ShopperOrder> & { requestHash: Buffer })[]>`
    select ${shopperColumns(sql, merchantId)}, request_hash
    from orders
    where merchant_id = ${merchantId} and location_id = ${locationId} and client_id = ${clientId}`;
  return row && { ...row, receipt: fromStoredReceipt(row.receipt) };
}

/** With an email address, whatever its case. Oldest first. */
export async function listOrdersOfBuyer(sql: Sql, merchantId: string, email: string): Promise<ShopperOrder[]> {
  const rows = await sql<WithStoredReceipt<ShopperOrder>[]>`
    select ${shopperColumns(sql, merchantId)}
    from orders
    where merchant_id = ${merchantId} and lower(buyer_email) = lower(${email})
    order by created_at, order_id`;
  return rows.map((row) => ({ ...row, receipt: fromStoredReceipt(row.receipt) }));
}

interface OrderKey {
  readonly merchantId: string;
  /** Undefined: at any location. */
  readonly locationId: string | undefined;
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
): Promise<ShopperOrder | undefined> {
  const [row] = await sql<WithStoredReceipt<ShopperOrder>[]>`
    select ${shopperColumns(sql, merchantId)}
    from orders
    where merchant_id = ${merchantId} and token_hash = ${tokenHash} ${andLocationIs(sql, locationId)}`;
  return row && { ...row, receipt: fromStoredReceipt(row.receipt) };
}

/** What the receipt of a sale shows of its order. Undefined: the sale is not from an online store. */
export async function findDeliveryOfSale(
  sql: Sql,
  merchantId: string,
  saleId: string,
): Promise<OrderDelivery | undefined> {
  const [row] = await sql<OrderDelivery[]>`
    select state, history, fulfillment, recipient_name, shipping_address::text, tracking_number
    from orders
    where merchant_id = ${merchantId} and sale_id = ${saleId}`;
  return row;
}

export async function listOrders(
  sql: Sql,
  {
    merchantId,
    locationId,
    paymentId,
    direction,
    page,
  }: OrderKey & {
    readonly paymentId?: string | undefined;
    readonly direction: SortOrder;
    readonly page: PageRequest;
  },
): Promise<Page<OrderWithTender>> {
  const paid = (id: string): Fragment => sql`
    and sale_id = (select p.sale_id from payments p where p.merchant_id = ${merchantId} and p.payment_id = ${id})`;
  const rows = await sql<OrderWithTender[]>`
    select ${columnsWithTender(sql, merchantId)}
    from orders
    where merchant_id = ${merchantId} ${locationId === undefined ? sql`` : sql`and location_id = ${locationId}`}
      ${paymentId === undefined ? sql`` : paid(paymentId)}
    ${pageClause(sql, { at: 'created_at', id: 'order_id' }, page, direction)}`;
  return toPage(rows, page.limit, ({ createdAt, id }) => ({ at: createdAt, id }));
}

/** An order as its owner sees it. */
export interface OwnerOrder extends OrderWithTender {
  readonly trackingNumber: string | null;
  /** The name of the first item, and the number of items. */
  readonly firstItem: string | null;
  readonly itemCount: number;
}

/** The columns of an order with those that only the owner sees. */
const ownerColumns = (sql: Sql, merchantId: string): Fragment => sql`
  ${columnsWithTender(sql, merchantId)}, tracking_number,
  (
    select s.receipt -> 'items' -> 0 ->> 'name'
    from sales s
    where s.merchant_id = ${merchantId} and s.sale_id = orders.sale_id
  ) as first_item,
  (
    select json_array_length(s.receipt -> 'items')
    from sales s
    where s.merchant_id = ${merchantId} and s.sale_id = orders.sale_id
  ) as item_count`;

export interface OwnerOrderFilter extends OrderKey {
  readonly state: OrderState | undefined;
  readonly direction: SortOrder;
  readonly page: PageRequest;
}

/** Orders of all locations or of one, in all states or in one. */
export async function listOwnerOrders(
  sql: Sql,
  { merchantId, locationId, state, direction, page }: OwnerOrderFilter,
): Promise<Page<OwnerOrder>> {
  const rows = await sql<OwnerOrder[]>`
    select ${ownerColumns(sql, merchantId)}
    from orders
    where merchant_id = ${merchantId}
    ${locationId === undefined ? sql`` : sql`and location_id = ${locationId}`}
    ${state === undefined ? sql`` : sql`and state = ${state}`}
    ${pageClause(sql, { at: 'created_at', id: 'order_id' }, page, direction)}`;
  return toPage(rows, page.limit, ({ createdAt, id }) => ({ at: createdAt, id }));
}

export interface OwnerOrderDetail extends OwnerOrder {
  readonly receipt: Receipt;
}

/** An order with its receipt. */
export async function findOwnerOrder(
  sql: Sql,
  merchantId: string,
  orderId: string,
): Promise<OwnerOrderDetail | undefined> {
  const [row] = await sql<WithStoredReceipt<OwnerOrderDetail>[]>`
    select ${ownerColumns(sql, merchantId)}, ${receiptColumn(sql, merchantId)}
    from orders
    where merchant_id = ${merchantId} and order_id = ${orderId}`;
  return row && { ...row, receipt: fromStoredReceipt(row.receipt) };
}

/** Finds an order that is changed, at this location or at any. The change depends on it. */
export async function readOrder(
  change: Change,
  orderId: string,
  locationId?: string,
): Promise<(Order & Versioned) | undefined> {
  const { sql } = change;
  return readOrderWhere(change, sql`order_id = ${orderId} ${andLocationIs(sql, locationId)}`);
}

/** Finds the order of a sale. The change depends on it. */
export async function readOrderOfSale(change: Change, saleId: string): Promise<(Order & Versioned) | undefined> {
  return readOrderWhere(change, change.sql`sale_id = ${saleId}`);
}

async function readOrderWhere(change: Change, condition: Fragment): Promise<(Order & Versioned) | undefined> {
  const { sql, merchantId } = change;
  const [row] = await sql<(Order & Versioned)[]>`
    select ${ORDER_COLUMNS.select(sql)}, xmin::text as version
    from orders
    where merchant_id = ${merchantId} and ${condition}`;
  if (row) change.dependOn(orders, row);
  return row;
}
