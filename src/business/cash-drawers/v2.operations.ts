/** The v2 operations on cash drawer shifts. */
import { listOperation, operation, type PageRule } from '../../api/operation.js';
import { parseRange } from '../../api/ranges.js';
import { SAMPLE_IDS } from '../../api/sample-ids.js';
import { about, choice, model, optional, Time, Type, text } from '../../api/wire.js';
import { notFound } from '../../base/errors.js';
import { requireLocation } from '../../identity/locations.js';
import { findShift, listShiftEvents, listShiftPage } from './queries.js';
import {
  CashDrawerShift,
  CashDrawerShiftEvent,
  CashDrawerShiftSummary,
  toShift,
  toShiftEvent,
  toShiftSummary,
} from './v2.view.js';

const LIMIT: PageRule['limit'] = { default: 200, max: 1000, over: 'refuse' };

export const v2CashDrawerOperations = [
  listOperation({
    surface: 'v2',
    name: 'listCashDrawerShifts',
    method: 'GET',
    path: '/v2/cash-drawers/shifts',
    permission: 'CASH_DRAWER_READ',
    summary: 'Lists the cash drawer shifts of a location.',
    // Clients of different API versions read different names (decision 0016).
    page: { token: 'cursor', limit: LIMIT, keys: ['items', 'cash_drawer_shifts'] },
    query: Type.Object({
      location_id: about('The location whose shifts are listed.', text()),
      sort_order: about('The order of the shifts by the time they were opened.', optional(choice(['ASC', 'DESC']))),
      begin_time: about('Only shifts at this time or later.', optional(Time)),
      end_time: about('Only shifts before this time.', optional(Time)),
    }),
    example: { query: { location_id: SAMPLE_IDS.location_id } },
    item: CashDrawerShiftSummary,
    async handle({ database, merchant }, { query, page }) {
      const { location_id: locationId } = query;
      requireLocation(merchant, locationId, 'location_id');
      const { items, next } = await listShiftPage(database.sql, {
        merchantId: merchant.id,
        locationId,
        opened: parseRange(query, 'begin_time', 'end_time'),
        bounds: 'ASC', // contract 4.5: begin inclusive, end exclusive, in either order
        order: query.sort_order ?? 'ASC',
        page,
      });
      return { items: items.map(toShiftSummary), next };
    },
  }),

  operation({
    surface: 'v2',
    name: 'retrieveCashDrawerShift',
    method: 'GET',
    path: '/v2/cash-drawers/shifts/{shift_id}',
    permission: 'CASH_DRAWER_READ',
    summary: 'Shows one cash drawer shift.',
    query: Type.Object({ location_id: about('The location of the shift.', optional(text())) }),
    response: model('RetrieveCashDrawerShiftResponse', { cash_drawer_shift: about('The shift.', CashDrawerShift) }),
    async handle({ database, merchant }, { params: { shift_id }, query: { location_id } }) {
      const key = { merchantId: merchant.id, shiftId: shift_id, locationId: location_id };
      const shift = await findShift(database.sql, key);
      if (!shift) throw notFound('cash drawer shift', shift_id);
      return { cash_drawer_shift: toShift(shift) };
    },
  }),

  listOperation({
    surface: 'v2',
    name: 'listCashDrawerShiftEvents',
    method: 'GET',
    path: '/v2/cash-drawers/shifts/{shift_id}/events',
    permission: 'CASH_DRAWER_READ',
    summary: 'Lists the events of a cash drawer shift, oldest first.',
    page: { token: 'cursor', limit: LIMIT, keys: ['events', 'cash_drawer_shift_events'] },
    query: Type.Object({ location_id: about('The location of the shift.', optional(text())) }),
    item: CashDrawerShiftEvent,
    async handle({ database, merchant }, { params: { shift_id }, query: { location_id }, page }) {
      const key = { merchantId: merchant.id, shiftId: shift_id, locationId: location_id };
      const found = await listShiftEvents(database.sql, { ...key, page });
      if (!found) throw notFound('cash drawer shift', shift_id);
      return { items: found.items.map((event) => toShiftEvent(event, merchant.currency)), next: found.next };
    },
  }),
];
