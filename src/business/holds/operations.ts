/** What this room offers, on all surfaces. */
import { room } from '../../api/room.js';
import { dashboardHoldOperations } from './dashboard.operations.js';

export const holdsRoom = room(dashboardHoldOperations);
