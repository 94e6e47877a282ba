/** What this room offers, on all surfaces. */
import { room } from '../../api/room.js';
import { registerSaleOperations } from './register.operations.js';

export const tillsRoom = room(registerSaleOperations);
