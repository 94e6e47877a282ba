/** The owner's online orders: lists them, shows one, completes, cancels and refunds it. */
import { listOperation, operation } from '../../api/operation.js';
import { about, choice, optional, Type, text } from '../../api/wire.js';
import { notFound, Refusal, requireFound } from '../../base/errors.js';
import { requireLocation } from '../../identity/locations.js';
import { updateOrder } from './actions.js';
import {
  DashboardOrder,
  DashboardOrderDetail,
  fromUpdateOrderFields,
  toDashboardOrder,
  toDashboardOrderDetail,
  UpdateOrderFields,
} from './dashboard.view.js';
import { ORDER_STATES } from './model.js';
import { findOwnerOrder, listOwnerOrders } from './queries.js';

const OrderResponse = Type.Object({ order: about('The order after the change.', DashboardOrderDetail) });

export const dashboardOrderOperations = [
  listOperation({
    surface: 'dashboard',
    name: 'listOrders',
    method: 'GET',
    path: '/api/dashboard/orders',
    permission: 'OWNER',
    summary: 'Lists the online orders of all locations or of one, in all states or in one, newest first by default.',
    page: { token: 'cursor', limit: { default: 50, max: 200, over: 'cap' }, keys: ['orders'] },
    query: Type.Object({
      location_id: about('Only orders of this location.', optional(text())),
      state: about('Only orders in this state.', optional(choice(ORDER_STATES))),
      order: about(
        'The order of the list by the time the orders were placed. Default: newest first.',
        optional(choice(['ASC', 'DESC'])),
      ),
    }),
    item: DashboardOrder,
    async handle({ database, merchant }, { query: { location_id, state, order }, page }) {
      if (location_id !== undefined) requireLocation(merchant, location_id, 'location_id');
      const { items, next } = await listOwnerOrders(database.sql, {
        merchantId: merchant.id,
        locationId: location_id,
        state,
        direction: order ?? 'DESC',
        page,
      });
      return { items: items.map(toDashboardOrder), next };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'retrieveOrder',
    method: 'GET',
    path: '/api/dashboard/orders/{order_id}',
    permission: 'OWNER',
    summary: 'Shows an online order with its items and its history.',
    response: OrderResponse,
    async handle({ database, merchant }, { params: { order_id } }) {
      const order = await findOwnerOrder(database.sql, merchant.id, order_id);
      if (!order) throw notFound('order', order_id);
      return { order: toDashboardOrderDetail(order) };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'updateOrder',
    method: 'PUT',
    path: '/api/dashboard/orders/{order_id}',
    permission: 'OWNER',
    summary: 'Completes an order, with a tracking number, or cancels or refunds it. A paid order is refunded at once.',
    body: UpdateOrderFields,
    example: { body: { action: 'COMPLETE', tracking_number: '1Z999AA10271828182', note: 'On its way' } },
    response: OrderResponse,
    async handle(context, { params: { order_id }, body }) {
      const { database, merchant } = context;
      if (body.tracking_number && body.action !== 'COMPLETE') {
        const detail = 'tracking_number is allowed with the action COMPLETE only.';
        throw new Refusal('INVALID_VALUE', { field: 'tracking_number', detail });
      }
      const update = {
        locationId: undefined,
        orderId: order_id,
        action: body.action,
        notes: fromUpdateOrderFields(body),
      };
      await updateOrder(context, update);
      const order = requireFound(await findOwnerOrder(database.sql, merchant.id, order_id), 'an order');
      return { order: toDashboardOrderDetail(order) };
    },
  }),
];
