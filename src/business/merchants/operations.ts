/** What this room offers, on all surfaces. */
import { room } from '../../api/room.js';
import { dashboardMerchantOperations } from './dashboard.operations.js';
import { registerMerchantOperations } from './register.operations.js';
import { v1MerchantOperations } from './v1.operations.js';
import { v2MerchantOperations } from './v2.operations.js';

export const merchantsRoom = room([
  ...v1MerchantOperations,
  ...v2MerchantOperations,
  ...dashboardMerchantOperations,
  ...registerMerchantOperations,
]);
