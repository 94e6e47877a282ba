/** Dashboard operations on cash drawer shifts. */
import { listOperation, operation } from '../../api/operation.js';
import { parseRange } from '../../api/ranges.js';
import { about, choice, optional, Time, Type, text } from '../../api/wire.js';
import { notFound } from '../../base/errors.js';
import { SHIFT_STATES } from './model.js';
import { findShiftWithEvents, listShiftPage } from './queries.js';
import { CashDrawerShift, CashDrawerShiftEvent, toShift, toShiftEvent } from './v2.view.js';

export const dashboardCashDrawerOperations = [
  listOperation({
    surface: 'dashboard',
    name: 'listCashDrawerShifts',
    method: 'GET',
    path: '/api/dashboard/cash-drawer-shifts',
    permission: 'OWNER',
    summary:
      'Lists the cash drawer shifts of all locations or of one, newest first, by state, employee and time of opening.',
    page: { token: 'cursor', limit: { default: 50, max: 200, over: 'cap' }, keys: ['shifts'] },
    query: Type.Object({
      location_id: about('Only shifts at this location.', optional(text())),
      employee_id: about('Only shifts in which this employee worked with the drawer.', optional(text())),
      state: about('Only shifts in this state.', optional(choice(SHIFT_STATES))),
      begin_time: about('Only shifts that were opened at this time or later.', optional(Time)),
      end_time: about('Only shifts that were opened before this time.', optional(Time)),
    }),
    item: CashDrawerShift,
    async handle({ database, merchant }, { query, page }) {
      const { items, next } = await listShiftPage(database.sql, {
        merchantId: merchant.id,
        locationId: query.location_id,
        employeeId: query.employee_id,
        state: query.state,
        opened: parseRange(query, 'begin_time', 'end_time'),
        bounds: 'ASC',
        order: 'DESC',
        page,
      });
      return { items: items.map(toShift), next };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'retrieveCashDrawerShift',
    method: 'GET',
    path: '/api/dashboard/cash-drawer-shifts/{shift_id}',
    permission: 'OWNER',
    summary: 'Shows one cash drawer shift with all its events.',
    response: Type.Object({
      shift: about('The shift with its sums.', CashDrawerShift),
      events: about('What happened to the cash, the first event first.', Type.Array(CashDrawerShiftEvent)),
    }),
    async handle({ database, merchant }, { params: { shift_id } }) {
      const found = await findShiftWithEvents(database.sql, { merchantId: merchant.id, shiftId: shift_id });
      if (!found) throw notFound('cash drawer shift', shift_id);
      const { shift, events } = found;
      return { shift: toShift(shift), events: events.map((event) => toShiftEvent(event, shift.currency)) };
    },
  }),
];
