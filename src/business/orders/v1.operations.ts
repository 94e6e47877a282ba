/** The three v1 operations on online orders. */
import { listOperation, type MerchantContext, operation } from '../../api/operation.js';
import { Printed } from '../../api/printed.js';
import { about, optional, Type, text, V1SortOrder } from '../../api/wire.js';
import { notFound } from '../../base/errors.js';
import type { CallerMerchant } from '../../identity/caller.js';
import { requireLocationOrMe } from '../../identity/locations.js';
import { toV1Site } from '../paid-sales/v1.view.js';
import { updateOrder } from './actions.js';
import type { OrderWithTender } from './model.js';
import { findOrder, listOrders } from './queries.js';
import { fromUpdateOrderBody, printV1Order, UpdateOrderBody, V1Order } from './v1.view.js';

const ORDERS = '/v1/{location_id}/orders';
const ORDER = `${ORDERS}/{order_id}` as const;

/** With `me`: at any location (decision 0018). */
function keyOf(merchant: CallerMerchant, locationId: string) {
  return { merchantId: merchant.id, locationId: requireLocationOrMe(merchant, locationId) };
}

function print(
  { merchant, publicUrl }: Pick<MerchantContext, 'merchant' | 'publicUrl'>,
  order: OrderWithTender,
): Printed {
  return new Printed(
    printV1Order(order, toV1Site({ currency: merchant.currency, merchantId: merchant.id, publicUrl })),
  );
}

export const v1OrderOperations = [
  listOperation({
    surface: 'v1',
    name: 'listOrders',
    method: 'GET',
    path: ORDERS,
    permission: 'ORDERS_READ',
    summary: 'Lists the online orders of a location, or with `me` of all locations.',
    page: { token: 'batch_token', limit: { default: 100, max: 200, over: 'refuse' } },
    query: Type.Object({
      order: about('The order of the list by the time the orders were placed.', V1SortOrder),
      payment_id: about('Only the order that this payment has paid.', optional(text())),
    }),
    item: V1Order,
    async handle({ database, merchant, publicUrl }, { params: { location_id }, query, page }) {
      const { items, next } = await listOrders(database.sql, {
        ...keyOf(merchant, location_id),
        paymentId: query.payment_id,
        direction: query.order ?? 'ASC',
        page,
      });
      return { items: items.map((order) => print({ merchant, publicUrl }, order)), next };
    },
  }),

  operation({
    surface: 'v1',
    name: 'retrieveOrder',
    method: 'GET',
    path: ORDER,
    permission: 'ORDERS_READ',
    summary: 'Returns one order with its history.',
    response: V1Order,
    async handle({ database, merchant, publicUrl }, { params: { location_id, order_id } }) {
      const order = await findOrder(database.sql, keyOf(merchant, location_id), order_id);
      if (!order) throw notFound('order', order_id);
      return print({ merchant, publicUrl }, order);
    },
  }),

  operation({
    surface: 'v1',
    name: 'updateOrder',
    method: 'PUT',
    path: ORDER,
    permission: 'ORDERS_WRITE',
    summary: 'Completes, cancels or refunds an order.',
    body: UpdateOrderBody,
    example: {
      body: { action: 'COMPLETE', shipped_tracking_number: '1Z999AA10123456784', completed_note: 'On its way' },
    },
    response: V1Order,
    async handle(context, { params: { location_id, order_id }, body }) {
      const { locationId } = keyOf(context.merchant, location_id);
      const [{ action }, notes] = [body, fromUpdateOrderBody(body)];
      const order = await updateOrder(context, { locationId, orderId: order_id, action, notes });
      return print(context, order);
    },
  }),
];
