/** What this room offers, on all surfaces. */
import { room } from '../../api/room.js';
import { dashboardSaleOperations } from './dashboard.operations.js';
import { registerFoundSaleOperations } from './register.operations.js';
import { v1SaleOperations } from './v1.operations.js';
import { v2TransactionOperations } from './v2.operations.js';

export const paidSalesRoom = room([
  ...v1SaleOperations,
  ...v2TransactionOperations,
  ...dashboardSaleOperations,
  ...registerFoundSaleOperations,
]);
