/** What this room offers, on all surfaces. */
import { room } from '../../api/room.js';
import { dashboardSettlementOperations } from './dashboard.operations.js';
import { v1SettlementOperations } from './v1.operations.js';

export const settlementsRoom = room([...v1SettlementOperations, ...dashboardSettlementOperations]);
