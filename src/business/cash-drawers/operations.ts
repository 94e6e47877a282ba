/** What this room offers, on all surfaces. */
import { room } from '../../api/room.js';
import { dashboardCashDrawerOperations } from './dashboard.operations.js';
import { outsideDrawersOperations } from './outside.operations.js';
import { registerCashDrawerOperations } from './register.operations.js';
import { v1CashDrawerOperations } from './v1.operations.js';
import { v2CashDrawerOperations } from './v2.operations.js';

export const cashDrawersRoom = room([
  ...v1CashDrawerOperations,
  ...v2CashDrawerOperations,
  ...dashboardCashDrawerOperations,
  ...outsideDrawersOperations,
  ...registerCashDrawerOperations,
]);
