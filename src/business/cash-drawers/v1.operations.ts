/** The v1 operations on cash drawer shifts. */
import { DEPRECATED_IN_2020, operation } from '../../api/operation.js';
import { fillRange, parseRange, toShownSeconds } from '../../api/ranges.js';
import { about, optional, Time, Type, V1SortOrder } from '../../api/wire.js';
import { notFound, Refusal } from '../../base/errors.js';
import { DAY_MS, type Instant, instant } from '../../base/time.js';
import type { SortOrder, TimeRange } from '../../database/keyset.js';
import { requireLocation } from '../../identity/locations.js';
import { findShiftWithEvents, listShifts } from './queries.js';
import { toV1Shift, V1CashDrawerShift } from './v1.view.js';

const MAX_RANGE_DAYS = 90;

/**
 * Fills in missing ends of a range. The default is the last 90 days; a range has at most 90 days (contract 4.1 rule 4).
 */
function toFullRange(given: TimeRange, now: Instant, order: SortOrder): TimeRange {
  const defaultBegin = instant(now - MAX_RANGE_DAYS * DAY_MS);
  const { begin, end } = fillRange(given, { now, defaultBegin });
  if (end - begin > MAX_RANGE_DAYS * DAY_MS) {
    throw new Refusal('INVALID_TIME_RANGE', {
      field: 'end_time',
      detail: `The range from begin_time to end_time cannot exceed ${MAX_RANGE_DAYS} days.`,
    });
  }
  // The default end is now, inclusive (decision 0008).
  const { begin: from = begin, end: to = order === 'ASC' ? instant(end + 1) : end } = toShownSeconds(given, order);
  return { begin: from, end: to };
}

export const v1CashDrawerOperations = [
  operation({
    surface: 'v1',
    name: 'listCashDrawerShifts',
    method: 'GET',
    path: '/v1/{location_id}/cash-drawer-shifts',
    permission: 'PAYMENTS_READ',
    deprecated: DEPRECATED_IN_2020,
    summary: 'Lists the cash drawer shifts of a location, without their events.',
    query: Type.Object({
      order: about('The order of the shifts by the time they were opened.', V1SortOrder),
      begin_time: about('Only shifts since this time. Ascending lists include the time itself.', optional(Time)),
      end_time: about('Only shifts until this time. Descending lists include the time itself.', optional(Time)),
    }),
    response: Type.Array(V1CashDrawerShift),
    async handle({ database, merchant, now }, { params: { location_id }, query }) {
      requireLocation(merchant, location_id);
      const order = query.order ?? 'ASC';
      const opened = toFullRange(parseRange(query, 'begin_time', 'end_time'), now, order);
      const filter = { merchantId: merchant.id, locationId: location_id, opened, bounds: order, order };
      return (await listShifts(database.sql, filter)).map((shift) => toV1Shift(shift));
    },
  }),

  operation({
    surface: 'v1',
    name: 'retrieveCashDrawerShift',
    method: 'GET',
    path: '/v1/{location_id}/cash-drawer-shifts/{shift_id}',
    permission: { anyOf: ['TIMECARDS_READ', 'PAYMENTS_READ'] },
    deprecated: DEPRECATED_IN_2020,
    summary: 'Shows one cash drawer shift with all its events.',
    response: V1CashDrawerShift,
    async handle({ database, merchant }, { params: { location_id, shift_id } }) {
      const key = { merchantId: merchant.id, shiftId: shift_id, locationId: location_id };
      const found = await findShiftWithEvents(database.sql, key);
      if (!found) throw notFound('cash drawer shift', shift_id);
      return toV1Shift(found.shift, found.events);
    },
  }),
];
