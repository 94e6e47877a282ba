/** The first generation's operations on refunds, as the contract names them. */
import { declared } from '../../api/operation.js';

export const v1RefundOperations = [
  declared({
    surface: 'v1',
    name: 'createRefund',
    method: 'POST',
    path: '/v1/{location_id}/refunds',
    permission: 'PAYMENTS_WRITE',
    summary: 'Refunds a payment or one of its tenders.',
  }),
  declared({
    surface: 'v1',
    name: 'listRefunds',
    method: 'GET',
    path: '/v1/{location_id}/refunds',
    permission: 'PAYMENTS_READ',
    summary: 'Lists the refunds of a location.',
  }),
];
