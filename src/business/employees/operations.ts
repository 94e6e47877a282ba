/** What this room offers, on all surfaces. */
import { room } from '../../api/room.js';
import { dashboardEmployeeOperations } from './dashboard.operations.js';
import { v1EmployeeOperations } from './v1.operations.js';
import { v2EmployeeOperations } from './v2.operations.js';

export const employeesRoom = room([...v1EmployeeOperations, ...v2EmployeeOperations, ...dashboardEmployeeOperations]);
