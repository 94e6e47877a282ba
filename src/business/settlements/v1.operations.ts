/** The v1 operations on settlements. */
import { oneYearAtMost } from '../../api/defaults.js';
import { listOperation, operation } from '../../api/operation.js';
import { parseRange } from '../../api/ranges.js';
import { about, optional, Time, Type, V1SortOrder } from '../../api/wire.js';
import { notFound } from '../../base/errors.js';
import { requireLocationOrMe } from '../../identity/locations.js';
import { findSettlementWithEntries, listSettlements } from './queries.js';
import { toV1Settlement, V1Settlement, V1SettlementStatus } from './v1.view.js';

export const v1SettlementOperations = [
  listOperation({
    surface: 'v1',
    name: 'listSettlements',
    method: 'GET',
    path: '/v1/{location_id}/settlements',
    permission: 'SETTLEMENTS_READ',
    summary: 'Lists the settlements of a location, or of all locations with `me`, without their entries.',
    page: { token: 'batch_token', limit: { default: 100, max: 200, over: 'refuse' } },
    query: Type.Object({
      order: about('The order of the settlements by time.', V1SortOrder),
      begin_time: about('Only settlements since this time. Ascending lists include the time itself.', optional(Time)),
      end_time: about('Only settlements until this time. Descending lists include the time itself.', optional(Time)),
      status: about('Only settlements with this status.', optional(V1SettlementStatus)),
    }),
    item: V1Settlement,
    resolve: ({ now }, query) => oneYearAtMost(query, now),
    async handle({ database, merchant, now }, { params: { location_id }, query, page }) {
      const { items, next } = await listSettlements(database.sql, {
        merchantId: merchant.id,
        locationId: requireLocationOrMe(merchant, location_id),
        now,
        status: query.status,
        initiated: parseRange(query, 'begin_time', 'end_time'),
        order: query.order ?? 'ASC',
        page,
      });
      return { items: items.map((settlement) => toV1Settlement(settlement)), next };
    },
  }),

  operation({
    surface: 'v1',
    name: 'retrieveSettlement',
    method: 'GET',
    path: '/v1/{location_id}/settlements/{settlement_id}',
    permission: 'SETTLEMENTS_READ',
    summary: 'Shows one settlement with its entries.',
    response: V1Settlement,
    async handle({ database, merchant, now }, { params: { location_id, settlement_id } }) {
      const locationId = requireLocationOrMe(merchant, location_id);
      const scope = { merchantId: merchant.id, locationId, now };
      const found = await findSettlementWithEntries(database.sql, scope, settlement_id);
      if (!found) throw notFound('settlement', settlement_id);
      return toV1Settlement(found.settlement, found.entries);
    },
  }),
];
