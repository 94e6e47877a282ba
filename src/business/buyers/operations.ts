/** What this room offers, on all surfaces. */
import { room } from '../../api/room.js';
import { dashboardBuyerOperations } from './dashboard.operations.js';

export const buyersRoom = room(dashboardBuyerOperations);
