/** The second generation's operations on payments, as the contract names them. */
import { declared } from '../../api/operation.js';

export const v2PaymentOperations = [
  declared({
    surface: 'v2',
    name: 'createPayment',
    method: 'POST',
    path: '/v2/payments',
    permission: 'PAYMENTS_WRITE',
    summary: 'Charges a payment source.',
  }),
  declared({
    surface: 'v2',
    name: 'listPayments',
    method: 'GET',
    path: '/v2/payments',
    permission: 'PAYMENTS_READ',
    summary: 'Lists payments.',
  }),
  declared({
    surface: 'v2',
    name: 'cancelPaymentByIdempotencyKey',
    method: 'POST',
    path: '/v2/payments/cancel',
    permission: 'PAYMENTS_WRITE',
    summary: 'Cancels the payment that was made with a key.',
  }),
  declared({
    surface: 'v2',
    name: 'getPayment',
    method: 'GET',
    path: '/v2/payments/{payment_id}',
    permission: 'PAYMENTS_READ',
    summary: 'Shows one payment.',
  }),
  declared({
    surface: 'v2',
    name: 'cancelPayment',
    method: 'POST',
    path: '/v2/payments/{payment_id}/cancel',
    permission: 'PAYMENTS_WRITE',
    summary: 'Cancels a delayed payment.',
  }),
  declared({
    surface: 'v2',
    name: 'completePayment',
    method: 'POST',
    path: '/v2/payments/{payment_id}/complete',
    permission: 'PAYMENTS_WRITE',
    summary: 'Completes a delayed payment.',
  }),
];
