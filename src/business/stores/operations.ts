/** What this room offers, on all surfaces. */
import { room } from '../../api/room.js';
import { checkoutStoreOperations } from './checkout.operations.js';
import { dashboardStoreOperations } from './dashboard.operations.js';
import { storePages } from './store.page.js';

export const storesRoom = room([...dashboardStoreOperations, ...checkoutStoreOperations], [...storePages]);
