/** The first generation's operations on payments, as the contract names them. */
import { declared } from '../../api/operation.js';

export const v1PaymentOperations = [
  declared({
    surface: 'v1',
    name: 'listPayments',
    method: 'GET',
    path: '/v1/{location_id}/payments',
    permission: 'PAYMENTS_READ',
    summary: 'Lists the payments of a location, or of all with `me`.',
  }),
  declared({
    surface: 'v1',
    name: 'retrievePayment',
    method: 'GET',
    path: '/v1/{location_id}/payments/{payment_id}',
    permission: 'PAYMENTS_READ',
    summary: 'Shows one payment.',
  }),
];
