/** What holds for all registers of a business, as owners and operators set and see it. */
import { Flag, model } from '../../api/wire.js';

export const RegisterSettings = model('RegisterSettings', { restrict_discounts: Flag });
