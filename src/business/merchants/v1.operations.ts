/** The v1 operations on the business and its locations. Clients call them first, to learn the ids of locations. */
import { operation } from '../../api/operation.js';
import { Type } from '../../api/wire.js';
import { notFound } from '../../base/errors.js';
import { findMerchantWithLocations } from './queries.js';
import { toV1Business, toV1Location, V1Merchant } from './v1.view.js';

export const v1MerchantOperations = [
  operation({
    surface: 'v1',
    name: 'retrieveBusiness',
    method: 'GET',
    path: '/v1/me',
    permission: 'MERCHANT_PROFILE_READ',
    summary: 'Shows the business that the access token belongs to.',
    response: V1Merchant,
    async handle({ database, merchant: { id } }) {
      const found = await findMerchantWithLocations(database.sql, id);
      if (!found) throw notFound('merchant', id);
      return toV1Business(found.merchant, found.locations[0]);
    },
  }),

  operation({
    surface: 'v1',
    name: 'listLocations',
    method: 'GET',
    path: '/v1/me/locations',
    permission: 'MERCHANT_PROFILE_READ',
    summary: 'Lists the locations of the business.',
    response: Type.Array(V1Merchant),
    async handle({ database, merchant: { id } }) {
      const found = await findMerchantWithLocations(database.sql, id);
      return found?.locations.map((location) => toV1Location(found.merchant, location)) ?? [];
    },
  }),
];
