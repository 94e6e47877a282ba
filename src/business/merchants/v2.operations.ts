/** The v2 operations on the business and its locations. */
import { operation } from '../../api/operation.js';
import { about, model, optional, Type } from '../../api/wire.js';
import { notFound } from '../../base/errors.js';
import { findMerchant, findMerchantWithLocations } from './queries.js';
import { Location, Merchant, toLocation, toMerchant } from './v2.view.js';

export const v2MerchantOperations = [
  operation({
    surface: 'v2',
    name: 'listLocations',
    method: 'GET',
    path: '/v2/locations',
    permission: 'MERCHANT_PROFILE_READ',
    summary: 'Lists the locations of the business.',
    response: model('ListLocationsResponse', {
      locations: about('All locations of the merchant.', Type.Array(Location)),
    }),
    async handle({ database, merchant: { id } }) {
      const found = await findMerchantWithLocations(database.sql, id);
      return { locations: found?.locations.map((location) => toLocation(found.merchant, location)) ?? [] };
    },
  }),

  operation({
    surface: 'v2',
    name: 'retrieveLocation',
    method: 'GET',
    path: '/v2/locations/{location_id}',
    permission: 'MERCHANT_PROFILE_READ',
    summary: 'Shows one location. The id `main` stands for the location that was created first.',
    response: model('RetrieveLocationResponse', { location: about('The location.', Location) }),
    async handle({ database, merchant: { id } }, { params: { location_id } }) {
      const found = await findMerchantWithLocations(database.sql, id);
      const location =
        location_id === 'main' ? found?.locations[0] : found?.locations.find((each) => each.id === location_id);
      if (!found || !location) throw notFound('location', location_id);
      return { location: toLocation(found.merchant, location) };
    },
  }),

  operation({
    surface: 'v2',
    name: 'listMerchants',
    method: 'GET',
    path: '/v2/merchants',
    permission: 'MERCHANT_PROFILE_READ',
    summary: 'Lists the one business that the access token belongs to.',
    query: Type.Object({
      cursor: about('A token has one merchant, so there is never a further page.', optional(Type.Integer())),
    }),
    response: model('ListMerchantsResponse', {
      merchant: about(
        'The merchant of the token, as a list of one. Absent beyond the first page.',
        optional(Type.Array(Merchant)),
      ),
    }),
    async handle({ database, merchant: { id, locations } }, { query }) {
      // There is a single page, so any cursor is beyond the end of the list.
      const merchant = query.cursor === undefined ? await findMerchant(database.sql, id) : undefined;
      // Like every empty v2 list (decision 0241).
      return merchant ? { merchant: [toMerchant(merchant, locations[0])] } : {};
    },
  }),

  operation({
    surface: 'v2',
    name: 'retrieveMerchant',
    method: 'GET',
    path: '/v2/merchants/{merchant_id}',
    permission: 'MERCHANT_PROFILE_READ',
    summary: 'Shows the business. The id `me` stands for its own id.',
    response: model('RetrieveMerchantResponse', { merchant: about('The merchant.', Merchant) }),
    async handle({ database, merchant: { id, locations } }, { params: { merchant_id } }) {
      const merchant = merchant_id === 'me' || merchant_id === id ? await findMerchant(database.sql, id) : undefined;
      if (!merchant) throw notFound('merchant', merchant_id);
      return { merchant: toMerchant(merchant, locations[0]) };
    },
  }),
];
