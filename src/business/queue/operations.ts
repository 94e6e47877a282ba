/** What this room offers, on all surfaces. */
import { room } from '../../api/room.js';
import { registerQueueOperations } from './register.operations.js';

export const queueRoom = room(registerQueueOperations);
