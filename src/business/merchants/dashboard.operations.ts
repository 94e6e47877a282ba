/** Dashboard operations on the business, its locations and its register settings. */

import { type MerchantContext, operation } from '../../api/operation.js';
import { SAMPLE_VALUES } from '../../api/sample-ids.js';
import { notFound } from '../../base/errors.js';
import { actorOf } from '../../identity/audit.js';
import { setRegisterSettings } from './actions.js';
import { Business, BusinessToEdit, fromBusinessToEdit, toBusiness } from './dashboard.view.js';
import {
  fromLocationFields,
  LocationDetails,
  LocationToCreate,
  LocationToEdit,
  toLocationDetails,
} from './location.view.js';
import { createLocation, editBusiness, editLocation } from './locations.js';
import type { Merchant } from './model.js';
import { findMerchant, findMerchantWithLocations, hasSales } from './queries.js';
import {
  fromOfflineCards,
  RegisterSettings,
  RegisterSettingsToEdit,
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
    example: {
      body: {
        version: SAMPLE_VALUES.version,
        business_name: 'Juniper & Rye Bakery',
        owner_name: 'Maya Okafor',
        owner_email: 'maya@example.com',
        language_code: 'en-US',
        business_type: 'BAKERY',
      },
    },
    response: Business,
    async handle(context, { body }) {
      const { merchant, locations } = await editBusiness(context, body.version, fromBusinessToEdit(body));
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
    example: {
      body: {
        name: 'Valencia Street',
        timezone: 'America/Los_Angeles',
        address: {
          address_line_1: '901 Valencia Street',
          locality: 'San Francisco',
          administrative_district_level_1: 'CA',
          postal_code: '94110',
          country: 'US',
        },
        phone_number: '+1 415 555 0142',
        business_hours: [{ day_of_week: 'SAT', start_local_time: '08:00', end_local_time: '16:00' }],
        tip_percentages: [10, 15, 20],
        sales_tax: { name: 'Sales tax', percentage: '8.625', inclusion_type: 'ADDITIVE' },
      },
    },
    response: LocationDetails,
    async handle(context, { body }) {
      const location = await createLocation(context, fromLocationFields(body));
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
    example: {
      body: {
        version: SAMPLE_VALUES.version,
        name: 'Mission Street',
        timezone: 'America/Los_Angeles',
        address: {
          address_line_1: '2140 Mission Street',
          locality: 'San Francisco',
          administrative_district_level_1: 'CA',
          postal_code: '94110',
          country: 'US',
        },
        phone_number: '+1 415 555 0142',
        status: 'ACTIVE',
        receipt_text: 'Thank you. See you tomorrow!',
      },
    },
    response: LocationDetails,
    async handle(context, { params: { location_id }, body }) {
      const { database, merchant } = context;
      const edit = { ...fromLocationFields(body), status: body.status };
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
    example: {
      body: {
        restrict_discounts: true,
        offline_cards: { allowed: true, limit_money: { amount: 5000, currency: 'USD' } },
      },
    },
    response: RegisterSettings,
    async handle(context, { body: { restrict_discounts, offline_cards } }) {
      const { merchant } = context;
      const settings = {
        restrictsDiscounts: restrict_discounts,
        offlineCardLimit: offline_cards
          ? fromOfflineCards(offline_cards, merchant.currency)
          : merchant.offlineCardLimit,
      };
      await setRegisterSettings(context, merchant.id, settings, actorOf(context));
      return toRegisterSettings({ ...merchant, ...settings }, context);
    },
  }),
];
