/** Valid online orders, and changes that each break exactly one law about them. */
import type { Sql } from '../../src/database/database.js';
import { type Business, made, orderOnline, placeOrder } from '../contract/business.js';
import type { TestServer } from './server.js';

/** The ids of orders, by their state. */
export interface ValidOrders {
  readonly waitingOrder: string;
  readonly paidOrder: string;
  readonly refundedOrder: string;
}

export async function createOrderRecords(server: TestServer, business: Business): Promise<ValidOrders> {
  const itemId = business.ids['item_id'];
  const waiting = await placeOrder(server, business, itemId);
  const [paid, refunded] = [await orderOnline(server, business, itemId), await orderOnline(server, business, itemId)];
  const path = `/v1/${business.ids['location_id']}/orders/${refunded.order_id}`;
  made(await server.call('PUT', path, { token: business.merchant.token, body: { action: 'REFUND' } }));
  return { waitingOrder: waiting.order_id, paidOrder: paid.order_id, refundedOrder: refunded.order_id };
}

const waitingOrder = (sound: ValidOrders): string => sound.waitingOrder;
const paidOrder = (sound: ValidOrders): string => sound.paidOrder;
const refundedOrder = (sound: ValidOrders): string => sound.refundedOrder;

/** Appends an entry to an order's history and sets the matching state. */
const append = (sql: Sql, orderId: string, action: string, state: string) => sql`
  update orders
  set state = ${state}, history = history || ${JSON.stringify({ action, createdAt: 0 })}::text::jsonb
  where order_id = ${orderId}`;

export const ORDER_BREAKS = {
  'the state of an order matches its history': [
    {
      how: 'its state differs from its history',
      violatingRow: paidOrder,
      by: (sql: Sql, sound: ValidOrders) => sql`
        update orders set state = 'COMPLETED' where order_id = ${sound.paidOrder}`,
    },
    {
      how: 'its history has an extra entry',
      violatingRow: paidOrder,
      by: (sql: Sql, sound: ValidOrders) => append(sql, sound.paidOrder, 'COMPLETED', 'OPEN'),
    },
  ],
  'an order is paid in full or not at all, and its sale and history match': [
    {
      how: 'its total differs from the paid amount',
      violatingRow: paidOrder,
      by: (sql: Sql, sound: ValidOrders) => sql`
        update orders set subtotal = subtotal + 1, total = total + 1 where order_id = ${sound.paidOrder}`,
    },
    {
      how: 'its sale is abandoned although it is PENDING',
      violatingRow: waitingOrder,
      by: (sql: Sql, sound: ValidOrders) => sql`
        update sales set state = 'CANCELED'
        where sale_id = (select sale_id from orders where order_id = ${sound.waitingOrder})`,
    },
    {
      how: 'its sale is a register sale',
      violatingRow: waitingOrder,
      by: (sql: Sql, sound: ValidOrders) => sql`
        update sales
        set kind = 'REGISTER', device_id = 'D', device_name = 'Till', employee_id = gen_random_uuid(),
          register_sale_id = 'S', request_hash = ''
        where sale_id = (select sale_id from orders where order_id = ${sound.waitingOrder})`,
    },
    {
      how: 'its history does not contain the payment',
      violatingRow: refundedOrder,
      by: (sql: Sql, sound: ValidOrders) => sql`
        update orders set state = 'CANCELED', history = '[{"action": "ORDER_PLACED"}, {"action": "CANCELED"}]'
        where order_id = ${sound.refundedOrder}`,
    },
  ],
  'a canceled or refunded order is refunded in full': [
    {
      how: 'it is REFUNDED without a refund',
      violatingRow: paidOrder,
      by: (sql: Sql, sound: ValidOrders) => append(sql, sound.paidOrder, 'REFUNDED', 'REFUNDED'),
    },
    {
      how: 'it is CANCELED without a refund',
      violatingRow: paidOrder,
      by: (sql: Sql, sound: ValidOrders) => append(sql, sound.paidOrder, 'CANCELED', 'CANCELED'),
    },
  ],
  'a pending order has due work that expires it': [
    {
      how: 'its expiry is not due',
      violatingRow: waitingOrder,
      by: (sql: Sql, sound: ValidOrders) => sql`
        delete from due_work where kind = 'EXPIRE_ORDER' and subject_id = ${sound.waitingOrder}`,
    },
    {
      how: 'its expiry differs from the due time',
      violatingRow: waitingOrder,
      by: (sql: Sql, sound: ValidOrders) => sql`
        update orders set expires_at = expires_at + interval '1 hour' where order_id = ${sound.waitingOrder}`,
    },
  ],
};

/** A change that breaks the law about due work. */
export const EXPIRES_THOUGH_PAID = {
  how: 'the expiry of a paid order is due',
  violatingRow: paidOrder,
  by: (sql: Sql, sound: ValidOrders) => sql`
    insert into due_work (merchant_id, kind, subject_id, due_at)
    select merchant_id, 'EXPIRE_ORDER', order_id, expires_at from orders where order_id = ${sound.paidOrder}`,
};
