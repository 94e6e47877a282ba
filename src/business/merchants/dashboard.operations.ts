/** Dashboard operations on the business, its locations and its register settings. */
import { operation } from '../../api/operation.js';
import { notFound } from '../../base/errors.js';
import { setRegisterSettings } from './actions.js';
import { Business, toBusiness } from './dashboard.view.js';
import { findMerchantWithLocations } from './queries.js';
import { RegisterSettings } from './register-settings.view.js';

const PATH = '/api/dashboard/register-settings';

export const dashboardMerchantOperations = [
  operation({
    surface: 'dashboard',
    name: 'retrieveBusiness',
    method: 'GET',
    path: '/api/dashboard/business',
    permission: 'OWNER',
    summary: 'Shows the business with its locations and the time of its clock.',
    response: Business,
    async handle({ database, merchant: { id }, now }) {
      const found = await findMerchantWithLocations(database.sql, id);
      if (!found) throw notFound('merchant', id);
      return toBusiness(found.merchant, found.locations, now);
    },
  }),

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
