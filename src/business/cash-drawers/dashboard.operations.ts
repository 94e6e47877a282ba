/** Dashboard operations on cash drawer shifts. */
import { listOperation, operation } from '../../api/operation.js';
import { parseRange } from '../../api/ranges.js';
import { about, choice, model, optional, Time, Type, text } from '../../api/wire.js';
import { notFound } from '../../base/errors.js';
import { DrawerCash, toCash } from './cash.view.js';
import { SHIFT_STATES, type Shift } from './model.js';
import { findShiftWithEvents, listShiftPage } from './queries.js';
import { ShiftReport, toShiftReport } from './report.view.js';
import { findReport } from './reports.js';
import { CashDrawerShift, CashDrawerShiftEvent, toShift, toShiftEvent } from './v2.view.js';

const DashboardShift = model('DashboardCashDrawerShift', {
  ...CashDrawerShift.properties,
  cash: about('The cash of the drawer. What left it is negative, so that it adds up.', DrawerCash),
});

const toDashboardShift = (shift: Shift) => ({ ...toShift(shift), cash: toCash(shift) });

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
    item: DashboardShift,
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
      return { items: items.map(toDashboardShift), next };
    },
  }),

  operation({
    surface: 'dashboard',
    name: 'retrieveCashDrawerShift',
    method: 'GET',
    path: '/api/dashboard/cash-drawer-shifts/{shift_id}',
    permission: 'OWNER',
    summary: 'Shows one cash drawer shift with all its events, and its X or Z report.',
    response: Type.Object({
      shift: about('The shift with its sums.', DashboardShift),
      events: about('What happened to the cash, the first event first.', Type.Array(CashDrawerShiftEvent)),
      report: about('What the register prints: X while the shift runs, Z once it is closed.', ShiftReport),
    }),
    async handle({ database, merchant, now }, { params: { shift_id } }) {
      const found = await findShiftWithEvents(database.sql, { merchantId: merchant.id, shiftId: shift_id });
      if (!found) throw notFound('cash drawer shift', shift_id);
      const { shift, events } = found;
      return {
        shift: toDashboardShift(shift),
        events: events.map((event) => toShiftEvent(event, shift.currency)),
        report: toShiftReport(await findReport(database.sql, merchant.id, shift), now),
      };
    },
  }),
];
