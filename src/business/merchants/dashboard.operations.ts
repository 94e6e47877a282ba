/** Dashboard operations on the register settings of a business. */
import { operation } from '../../api/operation.js';
import { setRegisterSettings } from './actions.js';
import { RegisterSettings } from './register-settings.view.js';

const PATH = '/api/dashboard/register-settings';

export const dashboardMerchantOperations = [
  operation({
    surface: 'dashboard',
    name: 'retrieveRegisterSettings',
    method: 'GET',
    path: PATH,
    permission: 'OWNER',
    summary: 'Shows the settings of all registers of the business.',
    response: RegisterSettings,
    async handle({ merchant }) {
      return { restrict_discounts: merchant.restrictsDiscounts };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'updateRegisterSettings',
    method: 'PUT',
    path: PATH,
    permission: 'OWNER',
    summary: 'Sets whether discounts at registers require REGISTER_APPLY_RESTRICTED_DISCOUNTS.',
    body: RegisterSettings,
    response: RegisterSettings,
    async handle(context, { body: { restrict_discounts } }) {
      await setRegisterSettings(context, context.merchant.id, { restrictsDiscounts: restrict_discounts });
      return { restrict_discounts };
    },
  }),
];
