/** What this room offers, on all surfaces. */
import { room } from '../../api/room.js';
import { dashboardRoleOperations } from './dashboard.operations.js';
import { v1RoleOperations } from './v1.operations.js';

export const rolesRoom = room([...v1RoleOperations, ...dashboardRoleOperations]);
