/** Online orders as they should be, and ways to break each law of theirs and no other one. */
import type { Sql } from '../../src/database/database.js';
import { type Business, made, orderOnline, placeOrder } from '../contract/business.js';
import type { TestServer } from './server.js';

/** The ids of orders, by what they are. */
export interface SoundOrders {
  readonly waitingOrder: string;
  readonly paidOrder: string;
  readonly refundedOrder: string;
}

export async function orderThings(server: TestServer, business: Business): Promise<SoundOrders> {
  const itemId = business.ids['item_id'];
  const waiting = await placeOrder(server, business, itemId);
  const [paid, refunded] = [await orderOnline(server, business, itemId), await orderOnline(server, business, itemId)];
  const path = `/v1/${business.ids['location_id']}/orders/${refunded.order_id}`;
  made(await server.call('PUT', path, { token: business.merchant.token, body: { action: 'REFUND' } }));
  return { waitingOrder: waiting.order_id, paidOrder: paid.order_id, refundedOrder: refunded.order_id };
}

const waitingOrder = (sound: SoundOrders): string => sound.waitingOrder;
const paidOrder = (sound: SoundOrders): string => sound.paidOrder;
const refundedOrder = (sound: SoundOrders): string => sound.refundedOrder;

/** One more entry at the end of an order's history, and the state that goes with it. */
const append = (sql: Sql, orderId: string, action: string, state: string) => sql`
  update orders
  set state = ${state}, history = history || ${JSON.stringify({ action, createdAt: 0 })}::text::jsonb
  where order_id = ${orderId}`;

export const ORDER_BREAKS = {
  'the state of an order matches its history': [
    {
      how: 'its state was changed by hand',
      names: paidOrder,
      by: (sql: Sql, sound: SoundOrders) => sql`
        update orders set state = 'COMPLETED' where order_id = ${sound.paidOrder}`,
    },
    {
      how: 'its history says more',
      names: paidOrder,
      by: (sql: Sql, sound: SoundOrders) => append(sql, sound.paidOrder, 'COMPLETED', 'OPEN'),
    },
  ],
  'an order is paid in full or not at all, and its sale and history match': [
    {
      how: 'it comes to something else than was paid',
      names: paidOrder,
      by: (sql: Sql, sound: SoundOrders) => sql`
        update orders set subtotal = subtotal + 1, total = total + 1 where order_id = ${sound.paidOrder}`,
    },
    {
      how: 'its sale was given up though it waits',
      names: waitingOrder,
      by: (sql: Sql, sound: SoundOrders) => sql`
        update sales set state = 'CANCELED'
        where sale_id = (select sale_id from orders where order_id = ${sound.waitingOrder})`,
    },
    {
      how: 'its sale was rung up at a register',
      names: waitingOrder,
      by: (sql: Sql, sound: SoundOrders) => sql`
        update sales
        set kind = 'REGISTER', device_id = 'D', device_name = 'Till', employee_id = gen_random_uuid(),
          register_sale_id = 'S', request_hash = ''
        where sale_id = (select sale_id from orders where order_id = ${sound.waitingOrder})`,
    },
    {
      how: 'it was paid, but knows nothing of it',
      names: refundedOrder,
      by: (sql: Sql, sound: SoundOrders) => sql`
        update orders set state = 'CANCELED', history = '[{"action": "ORDER_PLACED"}, {"action": "CANCELED"}]'
        where order_id = ${sound.refundedOrder}`,
    },
  ],
  'a canceled or refunded order is refunded in full': [
    {
      how: 'it is refunded, and the money stays',
      names: paidOrder,
      by: (sql: Sql, sound: SoundOrders) => append(sql, sound.paidOrder, 'REFUNDED', 'REFUNDED'),
    },
    {
      how: 'it is cancelled, and the money stays',
      names: paidOrder,
      by: (sql: Sql, sound: SoundOrders) => append(sql, sound.paidOrder, 'CANCELED', 'CANCELED'),
    },
  ],
  'a pending order has due work that expires it': [
    {
      how: 'nobody will look at it',
      names: waitingOrder,
      by: (sql: Sql, sound: SoundOrders) => sql`
        delete from due_work where kind = 'EXPIRE_ORDER' and subject_id = ${sound.waitingOrder}`,
    },
    {
      how: 'it says another time',
      names: waitingOrder,
      by: (sql: Sql, sound: SoundOrders) => sql`
        update orders set expires_at = expires_at + interval '1 hour' where order_id = ${sound.waitingOrder}`,
    },
  ],
};

/** Of the law of all that waits. */
export const EXPIRES_THOUGH_PAID = {
  how: 'an order is to expire that was paid',
  names: paidOrder,
  by: (sql: Sql, sound: SoundOrders) => sql`
    insert into due_work (merchant_id, kind, subject_id, due_at)
    select merchant_id, 'EXPIRE_ORDER', order_id, expires_at from orders where order_id = ${sound.paidOrder}`,
};
