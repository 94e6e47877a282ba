/** What this room offers, on all surfaces. */
import { room } from '../../api/room.js';
import { dashboardAccountOperations } from './account.operations.js';
import { dashboardSessionOperations } from './sign-in.operations.js';

export const dashboardRoom = room([...dashboardSessionOperations, ...dashboardAccountOperations]);
