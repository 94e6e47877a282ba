/** What this room offers, on all surfaces. */
import { room } from '../../api/room.js';
import { registerAttendantOperations } from './register.operations.js';

export const attendantsRoom = room(registerAttendantOperations);
