/** View of register settings on the dashboard and sandbox surfaces. */
import { Flag, model } from '../../api/wire.js';

export const RegisterSettings = model('RegisterSettings', { restrict_discounts: Flag });
