/** What this room offers, on all surfaces. */
import { room } from '../../api/room.js';
import { checkoutOrderOperations } from './checkout.operations.js';
import { dashboardOrderOperations } from './dashboard.operations.js';
import { receiptPage } from './receipt.page.js';
import { registerOrderOperations } from './register.operations.js';
import { v1OrderOperations } from './v1.operations.js';

export const ordersRoom = room(
  [...v1OrderOperations, ...dashboardOrderOperations, ...registerOrderOperations, ...checkoutOrderOperations],
  [receiptPage],
);
