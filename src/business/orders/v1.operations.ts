/** The first generation's operations on online orders, as the contract names them. */
import { declared } from '../../api/operation.js';

export const v1OrderOperations = [
  declared({
    surface: 'v1',
    name: 'listOrders',
    method: 'GET',
    path: '/v1/{location_id}/orders',
    permission: 'ORDERS_READ',
    summary: 'Lists the online orders of a location.',
  }),
  declared({
    surface: 'v1',
    name: 'retrieveOrder',
    method: 'GET',
    path: '/v1/{location_id}/orders/{order_id}',
    permission: 'ORDERS_READ',
    summary: 'Shows one order with its history.',
  }),
  declared({
    surface: 'v1',
    name: 'updateOrder',
    method: 'PUT',
    path: '/v1/{location_id}/orders/{order_id}',
    permission: 'ORDERS_WRITE',
    summary: 'Completes, cancels or refunds an order.',
  }),
];
