/** What this room offers, on all surfaces. */
import { room } from '../../api/room.js';
import { dashboardCatalogueOperations } from './dashboard.operations.js';
import { dashboardCataloguePartOperations } from './dashboard-parts.operations.js';
import { registerCatalogueOperations } from './register.operations.js';

export const catalogueRoom = room([
  ...dashboardCatalogueOperations,
  ...dashboardCataloguePartOperations,
  ...registerCatalogueOperations,
]);
