/** What this room offers, on all surfaces. */
import { room } from '../../api/room.js';
import { dashboardTimecardOperations } from './dashboard.operations.js';
import { registerTimecardOperations } from './register.operations.js';
import { v1TimecardOperations } from './v1.operations.js';
import { v2ShiftOperations } from './v2.operations.js';

export const timecardsRoom = room([
  ...v1TimecardOperations,
  ...v2ShiftOperations,
  ...dashboardTimecardOperations,
  ...registerTimecardOperations,
]);
