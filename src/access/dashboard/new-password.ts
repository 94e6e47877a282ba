/** The rules for a new password. */
import { text } from '../../api/wire.js';

export const MIN_PASSWORD_LENGTH = 12;
export const MAX_PASSWORD_LENGTH = 255;

export const NewPassword = text(MAX_PASSWORD_LENGTH, { minLength: MIN_PASSWORD_LENGTH });
