/** The second generation's operations on refunds, as the contract names them. */
import { declared } from '../../api/operation.js';

export const v2RefundOperations = [
  declared({
    surface: 'v2',
    name: 'refundPayment',
    method: 'POST',
    path: '/v2/refunds',
    permission: 'PAYMENTS_WRITE',
    summary: 'Refunds a payment, whole or in part.',
  }),
  declared({
    surface: 'v2',
    name: 'listPaymentRefunds',
    method: 'GET',
    path: '/v2/refunds',
    permission: 'PAYMENTS_READ',
    summary: 'Lists refunds.',
  }),
  declared({
    surface: 'v2',
    name: 'getPaymentRefund',
    method: 'GET',
    path: '/v2/refunds/{refund_id}',
    permission: 'PAYMENTS_READ',
    summary: 'Shows one refund.',
  }),
];
