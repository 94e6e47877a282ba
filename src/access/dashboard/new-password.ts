/** What a new password has to be. */
import { text } from '../../api/wire.js';

export const SHORTEST_PASSWORD = 12;
export const LONGEST_PASSWORD = 255;

export const NewPassword = text(LONGEST_PASSWORD, { minLength: SHORTEST_PASSWORD });
