/** What this room offers, on all surfaces. */
import { room } from '../../api/room.js';
import { dashboardReportOperations } from './dashboard.operations.js';

export const reportsRoom = room(dashboardReportOperations);
