/** Dashboard operations on the business, its locations and its register settings. */
import { type MerchantContext, operation } from '../../api/operation.js';
import { notFound } from '../../base/errors.js';
import { setRegisterSettings } from './actions.js';
import { Business, BusinessToEdit, readBusiness, toBusiness } from './dashboard.view.js';
import { LocationDetails, LocationToCreate, LocationToEdit, readLocation, toLocationDetails } from './location.view.js';
import { createLocation, editBusiness, editLocation } from './locations.js';
import type { Merchant } from './model.js';
import { findMerchant, findMerchantWithLocations, hasSales } from './queries.js';
import {
  RegisterSettings,
  RegisterSettingsToEdit,
  readOfflineCardLimit,
  toRegisterSettings,
} from './register-settings.view.js';

const LOCATIONS = '/api/dashboard/locations';
const PATH = '/api/dashboard/register-settings';

async function requireMerchant({ database, merchant: { id } }: MerchantContext): Promise<Merchant> {
  const found = await findMerchant(database.sql, id);
  if (!found) throw notFound('merchant', id);
  return found;
}

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
    name: 'updateBusiness',
    method: 'PUT',
    path: '/api/dashboard/business',
    permission: 'OWNER',
    summary: 'Changes the profile of the business. Refused if it has changed since the given version.',
    body: BusinessToEdit,
    response: Business,
    async handle(context, { body }) {
      const { merchant, locations } = await editBusiness(context, body.version, readBusiness(body));
      return toBusiness(merchant, locations, context.now);
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'createLocation',
    method: 'POST',
    path: LOCATIONS,
    permission: 'OWNER',
    summary: 'Opens another location.',
    body: LocationToCreate,
    response: LocationDetails,
    async handle(context, { body }) {
      const location = await createLocation(context, readLocation(body));
      return toLocationDetails(await requireMerchant(context), location, true);
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'retrieveLocation',
    method: 'GET',
    path: `${LOCATIONS}/{location_id}`,
    permission: 'OWNER',
    summary: 'Shows a location with everything that can be edited.',
    response: LocationDetails,
    async handle({ database, merchant: { id } }, { params: { location_id } }) {
      const found = await findMerchantWithLocations(database.sql, id);
      const location = found?.locations.find((each) => each.id === location_id);
      if (!found || !location) throw notFound('location', location_id);
      return toLocationDetails(found.merchant, location, !(await hasSales(database.sql, id, location_id)));
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'updateLocation',
    method: 'PUT',
    path: `${LOCATIONS}/{location_id}`,
    permission: 'OWNER',
    summary:
      'Changes a location: fields that are absent become empty. Refused if it has changed since the given version. The time zone is fixed after the first sale.',
    body: LocationToEdit,
    response: LocationDetails,
    async handle(context, { params: { location_id }, body }) {
      const { database, merchant } = context;
      const edit = { ...readLocation(body), status: body.status };
      const location = await editLocation(context, location_id, body.version, edit);
      const timezoneCanChange = !(await hasSales(database.sql, merchant.id, location_id));
      return toLocationDetails(await requireMerchant(context), location, timezoneCanChange);
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
    async handle(context) {
      return toRegisterSettings(context.merchant, context);
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'updateRegisterSettings',
    method: 'PUT',
    path: PATH,
    permission: 'OWNER',
    summary:
      'Sets whether discounts at registers require REGISTER_APPLY_RESTRICTED_DISCOUNTS, and whether registers that are offline keep cards to charge them later.',
    body: RegisterSettingsToEdit,
    response: RegisterSettings,
    async handle(context, { body: { restrict_discounts, offline_cards } }) {
      const { merchant } = context;
      const settings = {
        restrictsDiscounts: restrict_discounts,
        offlineCardLimit: offline_cards
          ? readOfflineCardLimit(offline_cards, merchant.currency)
          : merchant.offlineCardLimit,
      };
      await setRegisterSettings(context, merchant.id, settings);
      return toRegisterSettings({ ...merchant, ...settings }, context);
    },
  }),
];
