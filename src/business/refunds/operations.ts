/** What this room offers, on all surfaces. */
import { room } from '../../api/room.js';
import { dashboardRefundOperations } from './dashboard.operations.js';
import { registerRefundOperations } from './register.operations.js';
import { v1RefundOperations } from './v1.operations.js';
import { v2RefundOperations } from './v2.operations.js';

export const refundsRoom = room([
  ...v1RefundOperations,
  ...v2RefundOperations,
  ...dashboardRefundOperations,
  ...registerRefundOperations,
]);
