/** What this room offers, on all surfaces. */
import { room } from '../../api/room.js';
import { dashboardDeviceOperations } from './dashboard.operations.js';
import { dashboardFlagOperations } from './flags.operations.js';
import { dashboardPublishableKeyOperations } from './publishable-keys.operations.js';
import { registerDeviceOperations } from './register.operations.js';

export const devicesRoom = room([
  ...dashboardDeviceOperations,
  ...dashboardFlagOperations,
  ...dashboardPublishableKeyOperations,
  ...registerDeviceOperations,
]);
