/** What this room offers, on all surfaces. */
import { room } from '../../api/room.js';
import { dashboardPaymentOperations } from './dashboard.operations.js';
import { v2PaymentOperations } from './v2.operations.js';

export const paymentsRoom = room([...v2PaymentOperations, ...dashboardPaymentOperations]);
